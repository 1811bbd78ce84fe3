#include "support/fuzz_bounds.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "placer/search/bounds.hpp"
#include "search/exact/stretch_proofs.hpp"
#include "search/lists/rules.hpp"
#include "support/exhaustive.hpp"
#include "support/problems.hpp"
#include "support/searches.hpp"

namespace placer::testing {
namespace {

constexpr std::size_t kMostForOrders = 5;  // ops

/// The ops in sections of one, two or three, each of which waits for all of the section before.
Problem in_sections(const Problem& problem, Rng& rng) {
  const std::vector<OpId>& order = problem.graph().program_order();
  std::vector<Tensor> tensors = problem.graph().tensors();
  std::vector<OpId> before, section;
  for (std::size_t at = 0; at < order.size();) {
    const std::size_t end =
        std::min(order.size(), at + 1 + (before.size() == 1 ? 1 + rng.below(2) : 0));
    section.assign(order.begin() + static_cast<std::ptrdiff_t>(at),
                   order.begin() + static_cast<std::ptrdiff_t>(end));
    for (const OpId op : before) tensors.push_back({.producer = op, .consumers = section});
    before = section;
    at = end;
  }
  return Problem(graph_of(problem.graph().ops(), std::move(tensors)), problem.topology());
}

/// Every contention in turn; of three rounds one is of training steps and one of ops in sections.
Problem problem_of(std::size_t index, Rng& rng) {
  const std::size_t contentions = kNames<Contention>.size();
  const auto contention = static_cast<Contention>(index % contentions);
  const std::size_t kind = index / contentions % 3;
  if (kind == 1) return random_training_step(rng, contention);
  RandomProblem shape{.most_ops = (kind == 0 ? 2 : 5) + rng.below(5), .most_devices = 3};
  shape.contention = contention;
  shape.alike_devices = rng.below(2) == 0;
  const Problem problem = random_problem(rng, shape);
  return kind == 0 ? problem : in_sections(problem, rng);
}

std::string text_of(const Score& score) {
  return fmt::format("{} ps with {} B too much", score.step_ps, score.overflow_bytes);
}

std::string check_bounds(const LowerBounds& bounds, const Score& best) {
  if (!best.fits()) return "";
  if (!bounds.infeasible.empty()) return "fits, but: " + bounds.infeasible;
  for (const LowerBoundInfo& info : kLowerBounds) {
    if (bounds.*info.value <= best.step_ps) continue;
    return fmt::format("bound {}: {} ps, above the optimum of {} ps", info.name, bounds.*info.value,
                       best.step_ps);
  }
  return "";
}

SearchResult search(const Problem& problem, std::string_view algorithm, Order order,
                    std::int64_t evaluations = 1'000'000) {
  SearchRequest request = request_for(algorithm, evaluations);
  request.order = order;
  return run_search(problem, request);
}

std::string check_search(const Problem& problem, std::string_view algorithm, Order order,
                         const Score& best) {
  const SearchResult found = search(problem, algorithm, order);
  const bool is_best = found.score == best;
  // Branch and bound looks for what fits alone.
  const bool holds = best.fits()                 ? is_best && found.proven
                     : algorithm == "exhaustive" ? is_best
                                                 : !found.score.fits();
  if (holds) return "";
  return fmt::format("{}: expected {}, proven, found {}{}", algorithm, text_of(best),
                     text_of(found.score), found.proven ? ", proven" : "");
}

/// What a search that is cut short says of the steps that it has not seen.
std::string check_cut_short(const Problem& problem, Order order, const Score& best) {
  if (!best.fits()) return "";
  for (std::int64_t evaluations = 2; evaluations <= 64; evaluations *= 2) {
    const SearchResult found = search(problem, "branch-and-bound", order, evaluations);
    if (found.bound_ps.value_or(0) <= best.step_ps) continue;
    return fmt::format("branch-and-bound, {} evaluations: bound {} ps, above the optimum of {} ps",
                       evaluations, *found.bound_ps, best.step_ps);
  }
  return "";
}

/// What branch and bound says of the stretches of the longest path.
std::string check_stretches(const Problem& problem, const Score& best) {
  const auto bound = [](Search& search) {
    bounds_by_stretches(search, 1, lower_bounds(search));
    search.evaluate(heft_schedule(search.problem(), {}).placement());
  };
  const SearchResult found = search_with(problem, bound, 10'000);
  if (!best.fits() || found.bound_ps.value_or(0) <= best.step_ps) return "";
  return fmt::format("stretches: {} ps, above the optimum of {} ps", *found.bound_ps, best.step_ps);
}

/// Every placement, each device's ops in the order of the rule.
std::string check_placements(const Problem& problem, const LowerBounds& bounds, Order order,
                             BoundFigures& figures) {
  const Score best = exhaustive_best(problem, order).score;
  ++figures.problems;
  figures.fit += best.fits() ? 1 : 0;
  figures.impossible += bounds.infeasible.empty() ? 0 : 1;
  figures.met += best.fits() && bounds.best_ps() == best.step_ps ? 1 : 0;
  std::string wrong = check_bounds(bounds, best);
  if (wrong.empty() && order == Order::kFifo) wrong = check_stretches(problem, best);
  if (order == Order::kGiven) return wrong;  // where searches may choose orders as well
  if (wrong.empty()) wrong = check_search(problem, "exhaustive", order, best);
  if (wrong.empty()) wrong = check_search(problem, "branch-and-bound", order, best);
  if (wrong.empty()) wrong = check_cut_short(problem, order, best);
  return wrong;
}

/// Every placement with every order.
std::string check_orders(const Problem& problem, const LowerBounds& bounds) {
  if (problem.op_count() > kMostForOrders) return "";
  const Score best = exhaustive_best_order(problem);
  std::string wrong = check_bounds(bounds, best);
  if (wrong.empty()) wrong = check_search(problem, "branch-and-bound", Order::kGiven, best);
  return wrong.empty() ? check_cut_short(problem, Order::kGiven, best) : wrong;
}

}  // namespace

std::string fuzz_bounds(std::uint64_t seed, std::size_t index, BoundFigures& figures) {
  Rng rng = Rng(seed).stream("bounds", index);
  const Problem problem = problem_of(index, rng);
  std::string wrong = check_orders(problem, lower_bounds(problem));
  Order order = Order::kGiven;
  for (std::size_t i = 0; i < kAllOrders.size() && wrong.empty(); ++i) {
    order = kAllOrders[i];
    wrong = check_placements(problem, lower_bounds(problem, {}, order), order, figures);
  }
  if (wrong.empty()) return "";
  return fmt::format("problem {} of seed {}, order {}: {}", index, seed, name_of(order), wrong);
}

}  // namespace placer::testing

#include "support/fuzz_pipelines.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "placer/search/bounds.hpp"
#include "sim/objectives/goal_walk.hpp"
#include "support/goal_referee.hpp"
#include "support/problems.hpp"
#include "support/searches.hpp"

namespace placer::testing {
namespace {

std::string text_of(const Score& score) {
  return fmt::format("{} ps with {} B too much, {} astray", score.step_ps, score.overflow_bytes,
                     score.astray_ops);
}

/// All placements, one group's device after the other; the best, by the referee.
class AllPlacements {
 public:
  explicit AllPlacements(const Problem& problem)
      : problem_(problem), simulator_(problem, Order::kFifo), walk_(problem) {}

  std::string run() {
    std::vector<std::size_t> chosen(problem_.groups().size(), 0);
    while (true) {
      Placement placement;
      for (std::size_t group = 0; group < chosen.size(); ++group) {
        placement.devices.push_back(problem_.groups().allowed(GroupId(group))[chosen[group]]);
      }
      if (std::string wrong = check(placement); !wrong.empty()) return wrong;
      std::size_t group = 0;
      while (group < chosen.size() &&
             ++chosen[group] == problem_.groups().allowed(GroupId(group)).size()) {
        chosen[group++] = 0;
      }
      if (group == chosen.size()) return "";
    }
  }
  const Score& best() const { return *best_; }
  std::int64_t count() const { return count_; }

 private:
  std::string check(const Placement& placement) {
    ++count_;
    const Score right = goal_referee(problem_, placement);
    if (!best_ || right < *best_) best_ = right;
    const Score found = simulator_.evaluate(placement);
    if (found != right) {
      return fmt::format("a placement scores {}, found {}", text_of(right), text_of(found));
    }
    std::vector<Move> moves;
    for (std::size_t group = 0; last_ && group < placement.devices.size(); ++group) {
      if (placement[GroupId(group)] == (*last_)[GroupId(group)]) continue;
      moves.push_back({GroupId(group), placement[GroupId(group)]});
    }
    const Score moved = walk_.propose(last_ ? *last_ : placement, moves);
    walk_.accept();
    last_ = placement;
    return moved == right
               ? ""
               : fmt::format("moves lead to {}, found {}", text_of(right), text_of(moved));
  }

  const Problem& problem_;
  Simulator simulator_;
  GoalWalk walk_;
  std::optional<Placement> last_;
  std::optional<Score> best_;
  std::int64_t count_ = 0;
};

bool has_backward(const Problem& problem) {
  return std::ranges::any_of(problem.graph().ops(), &Op::backward);
}

std::string check_search(const Problem& problem, std::string_view algorithm, const Score& best,
                         PipelineFigures& figures) {
  const SearchResult found = run_search(problem, request_for(algorithm, 1'000'000));
  const bool is_exhaustive = algorithm == "exhaustive";
  figures.proven += found.proven && !is_exhaustive ? 1 : 0;
  const bool is_wrong = found.score < best || (found.proven && found.score != best) ||
                        (is_exhaustive && found.score != best);
  // Stages in any order are all that dynamic programming looks at.
  const bool must_be_best =
      algorithm == "dp" && best.fits() && problem.goal().objective == Objective::kThroughput &&
      problem.goal().contiguity == Contiguity::kStages && !has_backward(problem);
  if (!is_wrong &&
      !(must_be_best && problem.topology().speeds().size() <= 1 && found.score != best)) {
    return "";
  }
  return fmt::format("{}: expected {}, found {}{}", algorithm, text_of(best), text_of(found.score),
                     found.proven ? ", proven" : "");
}

/// By its program alone, from a poor placement on.
std::string check_milp(const Problem& problem, const Score& best, PipelineFigures& figures) {
  SearchRequest request = request_for("milp", 1'000'000);
  if (!request.optimizer->info.unavailable.empty()) return "";
  if (!serves(request.optimizer->info, problem.goal())) return "";
  request.options["prepare"] = false;
  const SearchResult found = run_search(problem, request);
  figures.solved += 1;
  figures.proven += found.proven ? 1 : 0;
  if (!best.fits()) return found.score.fits() ? "milp: something fits" : "";
  const Picoseconds bound_ps = found.bound_ps.value_or(0);
  if (found.score == best && bound_ps <= best.step_ps) return "";
  return fmt::format("milp: expected {}, found {}, its bound is {} ps{}", text_of(best),
                     text_of(found.score), bound_ps, found.proven ? ", proven" : "");
}

}  // namespace

Problem random_pipeline(std::size_t index, Rng& rng, std::size_t most_ops) {
  const Problem drawn =
      random_problem(rng, {.most_ops = 2 + rng.below(most_ops - 1), .most_devices = 3});
  std::vector<Op> ops = drawn.graph().ops();
  if (index % 3 == 0) {
    for (Op& op : ops) op.backward = rng.below(3) == 0;
  }
  std::vector<Device> devices = drawn.topology().devices();
  devices.front().host = rng.below(2) == 0;
  Goal goal{.objective = rng.below(3) == 0 ? Objective::kCallLatency : Objective::kThroughput,
            .contiguity = static_cast<Contiguity>(rng.below(3))};
  if (goal.contiguity == Contiguity::kStages && rng.below(2) == 0) {
    for (std::size_t d = devices.size(); d > 0; --d) goal.stages.emplace_back(d - 1);
  }
  return Problem(
             Graph("g", std::move(ops), drawn.graph().tensors()),
             Topology(std::move(devices), drawn.topology().links(), drawn.topology().contention(),
                      rng.below(2) == 0 ? Transfers::kSerial : Transfers::kOverlap))
      .with_goal(std::move(goal));
}

std::string fuzz_pipelines(std::uint64_t seed, std::size_t index, PipelineFigures& figures) {
  Rng rng = Rng(seed).stream("pipelines", index);
  const Problem problem = random_pipeline(index, rng, 7);
  AllPlacements all(problem);
  std::string wrong = all.run();
  figures.placements += all.count();
  const LowerBounds bounds = lower_bounds(problem);
  const Score& best = all.best();
  figures.fit += best.fits() ? 1 : 0;
  if (wrong.empty() && best.fits() && !bounds.infeasible.empty()) {
    wrong = "fits, but: " + bounds.infeasible;
  }
  if (wrong.empty() && best.fits() && bounds.best_ps() > best.step_ps) {
    wrong = fmt::format("a bound of {} ps is above the optimum of {} ps", bounds.best_ps(),
                        best.step_ps);
  }
  for (const std::string_view algorithm : {"exhaustive", "dp", "interval-dp", "auto"}) {
    if (wrong.empty()) wrong = check_search(problem, algorithm, best, figures);
  }
  if (wrong.empty()) wrong = check_milp(problem, best, figures);
  if (wrong.empty()) return "";
  return fmt::format("problem {} of seed {}, objective {}: {}", index, seed,
                     name_of(problem.goal().objective), wrong);
}

}  // namespace placer::testing

#include "cli/compare/runs.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>

#include "cli/report/answer_check.hpp"
#include "search/core/merged_problem.hpp"

namespace placer {
namespace {

/// What an algorithm's runs have in common.
SearchRequest request_of(const Comparison& comparison, const ComparedAlgorithm& compared) {
  SearchRequest request = comparison.request;
  request.optimizer = compared.optimizer;
  request.order = comparison.orders[compared.order];
  request.options = compared.options;
  if (compared.grouping) request.grouping = *compared.grouping;
  if (compared.additions) request.additions = *compared.additions;
  return request;
}

/// Empty when the run was cut short.
std::optional<RunRecord> run_one(const Comparison& comparison, std::size_t graph,
                                 std::size_t algorithm, std::uint64_t seed,
                                 std::function<void(const SearchProgress&)> on_progress) {
  SearchRequest request = request_of(comparison, comparison.algorithms[algorithm]);
  request.seed = seed;
  request.on_progress = std::move(on_progress);
  RunRecord record{graph, algorithm, seed,
                   run_search(comparison.graphs[graph].loaded.problem, request)};
  if (record.result.stopped == Stop::kInterrupt) return std::nullopt;
  check_answer(comparison.graphs[graph].loaded, request.order, record.result);
  return record;
}

void find_floors(Comparison& comparison) {
  for (std::size_t graph = 0; graph < comparison.graphs.size(); ++graph) {
    const Problem& problem = comparison.graphs[graph].loaded.problem;
    std::set<std::pair<std::size_t, std::size_t>> wanted;  // groups, order
    for (const ComparedAlgorithm& algorithm : comparison.algorithms) {
      const std::size_t count = wanted_groups(problem, request_of(comparison, algorithm));
      if (count != problem.groups().size()) wanted.emplace(count, algorithm.order);
    }
    for (const auto& [count, order] : wanted) {
      SearchRequest request = comparison.request;
      request.order = comparison.orders[order];
      request.optimizer = &find_optimizer("auto");
      request.grouping = {Grouping::Kind::kCount, count};
      request.additions.refinement = false;
      Floor floor{.graph = graph, .order = order, .wanted_groups = count};
      floor.failure = failure_of([&] {
        const SearchResult result = run_search(problem, request);
        floor.groups = result.groups;
        floor.score = result.score;
      });
      comparison.floors.push_back(std::move(floor));
    }
  }
}

bool is_interrupted(const Comparison& comparison) {
  return comparison.request.interrupt != nullptr && *comparison.request.interrupt;
}

}  // namespace

double RunRecord::step_seconds() const {
  return result.score.fits() ? to_seconds(result.score.step_ps)
                             : std::numeric_limits<double>::infinity();
}

double RunRecord::best_sample_seconds() const {
  return result.best_sample && result.best_sample->fits() ? to_seconds(result.best_sample->step_ps)
                                                          : std::numeric_limits<double>::infinity();
}

std::int64_t RunRecord::evaluations_to_best() const {
  return result.history.empty() ? result.evaluations : result.history.back().evaluations;
}

std::vector<const RunRecord*> Comparison::runs_of(std::size_t graph, std::size_t algorithm) const {
  std::vector<const RunRecord*> found;
  for (const RunRecord& run : runs) {
    if (run.graph == graph && run.algorithm == algorithm) found.push_back(&run);
  }
  return found;
}

std::vector<const FailedRun*> Comparison::failures_of(std::size_t graph,
                                                      std::size_t algorithm) const {
  std::vector<const FailedRun*> found;
  for (const FailedRun& run : failures) {
    if (run.graph == graph && run.algorithm == algorithm) found.push_back(&run);
  }
  return found;
}

bool Comparison::is_deterministic(std::size_t graph, std::size_t algorithm) const {
  if (!algorithms[algorithm].optimizer->info.deterministic) return false;
  // The refinement after a search of merged groups draws random numbers.
  const std::size_t own_groups = graphs[graph].loaded.problem.groups().size();
  const auto found = runs_of(graph, algorithm);
  return !found.empty() && found.front()->result.groups == own_groups;
}

std::string Comparison::name_of(std::size_t algorithm) const {
  const std::string& label = algorithms[algorithm].label;
  return orders.size() == 1 ? label : label + " under " + placer::name_of(order_of(algorithm));
}

void run_comparison(Comparison& comparison, const WatchRun& watch) {
  const std::size_t graphs = comparison.graphs.size(), algorithms = comparison.algorithms.size();
  const auto seeds = static_cast<std::size_t>(comparison.seeds);
  const std::size_t all = graphs * algorithms * seeds;
  double spent_seconds = 0;
  for (std::size_t i = 0; i < all && !is_interrupted(comparison); ++i) {
    const std::size_t graph = i / (algorithms * seeds), algorithm = i % algorithms;
    const std::uint64_t seed = 1 + i / algorithms % seeds;
    if (comparison.is_deterministic(graph, algorithm)) continue;
    const RunStart start{
        &comparison.graphs[graph], comparison.name_of(algorithm), seed, i + 1, all, spent_seconds};
    std::optional<RunRecord> record;
    auto failure = failure_of([&] {
      record = run_one(comparison, graph, algorithm, seed, watch ? watch(start) : nullptr);
    });
    if (failure) {
      comparison.failures.push_back({graph, algorithm, seed, *std::move(failure)});
    } else if (record) {
      spent_seconds += record->result.wall_seconds;
      comparison.runs.push_back(*std::move(record));
    }
  }
  if (comparison.wants_floors && !is_interrupted(comparison)) find_floors(comparison);
  comparison.interrupted = is_interrupted(comparison);
  std::ranges::sort(comparison.runs, {}, [](const RunRecord& run) {
    return std::tuple(run.graph, run.algorithm, run.seed);
  });
}

}  // namespace placer

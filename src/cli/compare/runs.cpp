#include "cli/compare/runs.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <mutex>
#include <set>
#include <system_error>
#include <thread>
#include <tuple>

#include "cli/compare/rank_runs.hpp"
#include "cli/compare/store.hpp"
#include "cli/report/answer_check.hpp"
#include "search/core/merged_problem.hpp"

namespace placer {

SearchRequest request_of(const Comparison& comparison, std::size_t algorithm) {
  const ComparedAlgorithm& compared = comparison.algorithms[algorithm];
  SearchRequest request = comparison.request;
  request.optimizer = compared.optimizer;
  request.order = comparison.orders[compared.order];
  request.options = compared.options;
  if (compared.grouping) request.grouping = *compared.grouping;
  if (compared.additions) request.additions = *compared.additions;
  if (compared.evaluations) request.budget.evaluations = *compared.evaluations;
  if (compared.policy_in) request.policy_in = compared.policy_in.get();
  return request;
}

std::optional<RunRecord> run_one(const Comparison& comparison, std::size_t graph,
                                 std::size_t algorithm, const SearchRequest& request) {
  const LoadedProblem& loaded = comparison.graphs[graph].loaded;
  RunRecord record{graph, algorithm, request.seed, run_search(loaded.problem, request)};
  if (record.result.stopped == Stop::kInterrupt) return std::nullopt;
  check_answer(loaded, request.order, record.result);
  return record;
}

std::vector<WantedRun> wanted_runs(const Comparison& comparison, std::uint64_t first,
                                   std::uint64_t last) {
  const std::size_t algorithms = comparison.algorithms.size();
  const auto seeds = static_cast<std::size_t>(comparison.seeds);
  std::vector<WantedRun> list;
  for (std::size_t graph = 0; graph < comparison.graphs.size(); ++graph) {
    for (std::uint64_t seed = first; seed <= last; ++seed) {
      for (std::size_t algorithm = 0; algorithm < algorithms; ++algorithm) {
        if (comparison.is_deterministic(graph, algorithm)) continue;
        const std::size_t number = (graph * seeds + (seed - 1)) * algorithms + algorithm + 1;
        list.push_back({graph, algorithm, seed, number});
      }
    }
  }
  return list;
}

namespace {

bool is_interrupted(const Comparison& comparison) {
  return comparison.request.interrupt != nullptr && *comparison.request.interrupt;
}

/// An observer of several threads.
Observer one_at_a_time(const Observer& observer, std::mutex& mutex) {
  for (const EventLevel level : {EventLevel::kTrace, EventLevel::kDebug, EventLevel::kInfo,
                                 EventLevel::kWarn, EventLevel::kError}) {
    if (!observer.hears(level)) continue;
    return {level, [observer, &mutex](const Event& event) {
              const std::lock_guard lock(mutex);
              observer.tell(event.level, event.subject, [&] { return event.message; });
            }};
  }
  return {};
}

/// Makes runs side by side; what they leave is put together one at a time.
class Runner {
 public:
  Runner(Comparison& comparison, const WatchRuns& watch) : comparison_(comparison), watch_(watch) {}

  void run_all(const std::vector<WantedRun>& list) {
    const int threads = comparison_.request.threads;
    const auto at_once = std::clamp<std::size_t>(list.size(), 1, static_cast<std::size_t>(threads));
    threads_of_each_ = std::max(1, threads / static_cast<int>(at_once));
    next_ = 0;
    std::vector<std::thread> others;
    try {
      for (std::size_t i = 1; i < at_once; ++i) others.emplace_back([&] { work(list); });
    } catch (const std::system_error&) {
      // No memory for more threads: fewer make the same runs.
    }
    work(list);
    for (std::thread& other : others) other.join();
  }

 private:
  void work(const std::vector<WantedRun>& list) {
    while (!is_interrupted(comparison_)) {
      const std::size_t at = next_++;
      if (at >= list.size()) return;
      run_or_fail(list[at]);
    }
  }

  void run_or_fail(const WantedRun& wanted) {
    std::optional<RunRecord> record;
    auto failure = failure_of([&] { record = stored_or_run(wanted); }, "the search");
    const std::lock_guard lock(mutex_);
    if (watch_.end) watch_.end(wanted.number);
    if (failure) {
      comparison_.failures.push_back(
          {wanted.graph, wanted.algorithm, wanted.seed, *std::move(failure)});
    } else if (record) {
      spent_seconds_ += record->result.wall_seconds;
      comparison_.runs.push_back(*std::move(record));
    }
  }

  /// Empty when the run was cut short.
  std::optional<RunRecord> stored_or_run(const WantedRun& wanted) {
    SearchRequest request = request_of(comparison_, wanted.algorithm);
    request.seed = wanted.seed;
    request.threads = threads_of_each_;
    if (comparison_.store != nullptr) {
      auto kept = comparison_.store->find(comparison_, wanted.graph, wanted.algorithm, request,
                                          one_at_a_time(comparison_.request.observer, mutex_));
      if (kept) return kept;
    }
    listen(wanted, request);
    const auto record = run_one(comparison_, wanted.graph, wanted.algorithm, request);
    if (record && comparison_.store != nullptr) {
      comparison_.store->keep(comparison_, *record, request,
                              one_at_a_time(comparison_.request.observer, mutex_));
    }
    return record;
  }

  /// Progress and events reach who listens from one thread at a time.
  void listen(const WantedRun& wanted, SearchRequest& request) {
    const std::lock_guard lock(mutex_);
    if (watch_.begin) {
      watch_.begin({&comparison_.graphs[wanted.graph], comparison_.name_of(wanted.algorithm),
                    wanted.seed, wanted.number, all_runs(), spent_seconds_});
    }
    if (watch_.show) {
      request.on_progress = [this, number = wanted.number](const SearchProgress& now) {
        const std::lock_guard locked(mutex_);
        watch_.show(number, now);
      };
    }
    request.observer = one_at_a_time(comparison_.request.observer, mutex_);
  }

  std::size_t all_runs() const {
    return comparison_.graphs.size() * comparison_.algorithms.size() *
           static_cast<std::size_t>(comparison_.seeds);
  }

  Comparison& comparison_;
  const WatchRuns& watch_;
  std::mutex mutex_;
  std::atomic<std::size_t> next_ = 0;
  int threads_of_each_ = 1;
  double spent_seconds_ = 0;
};

void find_floors(Comparison& comparison) {
  for (std::size_t graph = 0; graph < comparison.graphs.size(); ++graph) {
    const Problem& problem = comparison.graphs[graph].loaded.problem;
    std::set<std::pair<std::size_t, std::size_t>> wanted;  // groups, order
    for (std::size_t i = 0; i < comparison.algorithms.size(); ++i) {
      const std::size_t count = wanted_groups(problem, request_of(comparison, i));
      if (count != problem.groups().size()) wanted.emplace(count, comparison.algorithms[i].order);
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

void run_comparison(Comparison& comparison, const WatchRuns& watch) {
  const auto seeds = static_cast<std::uint64_t>(comparison.seeds);
  if (comparison.ranks != nullptr) {
    run_on_ranks(comparison);
  } else {
    Runner runner(comparison, watch);
    runner.run_all(wanted_runs(comparison, 1, 1));
    runner.run_all(wanted_runs(comparison, 2, seeds));
  }
  if (comparison.wants_floors && !is_interrupted(comparison)) find_floors(comparison);
  comparison.interrupted = is_interrupted(comparison);
  const auto place = [](const auto& run) { return std::tuple(run.graph, run.algorithm, run.seed); };
  std::ranges::sort(comparison.runs, {}, place);
  std::ranges::sort(comparison.failures, {}, place);
}

}  // namespace placer

#include "placer/search/run.hpp"

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <limits>

#include "placer/base/errors.hpp"
#include "search/core/evaluators.hpp"
#include "search/core/events.hpp"
#include "search/core/group_changes.hpp"
#include "search/core/ledger.hpp"
#include "search/core/merged_problem.hpp"
#include "search/core/plain_placements.hpp"

namespace placer {
namespace {

// The share of the budget for refinement, once groups were merged. Measured on Inception-V3 and
// ResNet-50 with 24 to 64 groups: a half beats 0.3 and 0.4 for learners and for the genetic
// algorithm, and 0.6 gains no more.
constexpr double kRefineShare = 0.5;

void check_goal(const Optimizer& optimizer, const Goal& goal) {
  if (serves(optimizer.info, goal)) return;
  if (optimizer.info.only_throughput) {
    throw Error(fmt::format("algorithm {}: expected the objective throughput, found {}",
                            optimizer.name, name_of(goal.objective)));
  }
  throw Error(fmt::format(
      "algorithm {}: expected the objective latency and no rule of contiguity, found {}; "
      "exhaustive and dp prove others",
      optimizer.name, goal.objective == Objective::kLatency ? "one" : name_of(goal.objective)));
}

OptionValues available_options(const Problem& problem, const SearchRequest& request) {
  const Optimizer& optimizer = *request.optimizer;
  if (!optimizer.info.unavailable.empty()) {
    throw Error(fmt::format("algorithm {}: {}", optimizer.name, optimizer.info.unavailable));
  }
  check_goal(optimizer, problem.goal());
  if (request.policy_in != nullptr) {
    check_policy(*request.policy_in, optimizer, problem.device_count());
  }
  return completed_options(request);
}

}  // namespace

class SearchRun {
 public:
  SearchRun(const Problem& problem, const SearchRequest& request)
      : request_(request),
        options_(available_options(problem, request)),
        problem_(problem.within(deadline(request))),
        ledger_(problem_, request_),
        coarse_(problem_) {}

  SearchResult run() {
    Search whole(ledger_, problem_, request_.order, Rng(request_.seed), request_.budget.evaluations,
                 request_.budget.seconds);
    tell_start(problem_, request_, options_);
    try {
      search(whole);
    } catch (const Stopped&) {
      // What was scored before stands.
    } catch (const std::exception& error) {
      // Who has an answer at hand wants one in any case; elsewhere such a run counts as failed.
      if (!lacks_memory(error) || ledger_.evaluations() == 0 || !request_.at_hand) throw;
      ledger_.claim_out_of_memory();
      request_.observer.tell(EventLevel::kWarn, "", [] {
        return "the search needs more memory than there is or --memory-limit allows: it ends with "
               "the best so far";
      });
    }
    if (ledger_.evaluations() == 0 && request_.start) {
      record_however_late(whole, *request_.start, request_.start_order);
    }
    if (ledger_.evaluations() == 0 || (request_.at_hand && ran_out_of_time())) {
      record_at_hand(whole);
    }
    SearchResult result = ledger_.result(coarse_.groups().size());
    tell_end(request_, result);
    return result;
  }

 private:
  static Deadline deadline(const SearchRequest& request) {
    return Deadline(Deadline::Clock::now(), request.budget.seconds, request.interrupt);
  }

  void search(Search& whole) {
    ledger_.count_as_samples(false);
    if (request_.start) whole.evaluate(*request_.start, request_.start_order);
    ledger_.count_as_samples(true);
    if (ledger_.evaluations() == 0 && whole.spent()) return;
    coarse_ = merged_problem(problem_, request_, ledger_);
    if (coarse_.groups().size() < problem_.groups().size() || refines_what_it_learned()) {
      search_and_refine(whole);
    } else {
      request_.optimizer->run(options_, whole);
    }
  }

  void record_however_late(Search& whole, const Placement& placement, const OpOrder& order) const {
    Simulator simulator(problem_.within({}), request_.order);
    whole.record(placement, order, simulator.evaluate(placement, order));
  }

  void record_at_hand(Search& whole) const {
    if (request_.at_hand && request_.at_hand_score) {
      whole.record(*request_.at_hand, {}, *request_.at_hand_score);
    } else {
      record_however_late(
          whole, request_.at_hand ? *request_.at_hand : answer_at_hand(problem_.within({})), {});
    }
  }

  /// Before it found what fits.
  bool ran_out_of_time() const {
    return !ledger_.best_score().fits() && !ledger_.interrupted() &&
           ledger_.wall_seconds() >= request_.budget.seconds &&
           ledger_.spent() < request_.budget.evaluations;
  }

  /// A policy is sampled, not searched: moves find more near its best, merged or not.
  bool refines_what_it_learned() const {
    return request_.optimizer->info.learns && request_.grouping.kind != Grouping::Kind::kNone;
  }

  void search_and_refine(Search& whole) {
    const double all_evaluations = static_cast<double>(whole.evaluations_left());
    {
      const Stage stage(whole, "search", "search before refinement");
      Search search = whole.part(request_.additions.refinement ? 1 - kRefineShare : 1, coarse_);
      request_.optimizer->run(options_, search);
    }
    ledger_.end_of_samples();
    if (whole.spent() || !request_.additions.refinement) return;
    // No more than its share, however early the optimizer stopped; of a time limit, what is left.
    const double left = static_cast<double>(whole.evaluations_left());
    const bool counted = request_.budget.seconds == std::numeric_limits<double>::infinity();
    Search last = whole.part(counted ? std::min(1.0, all_evaluations * kRefineShare / left) : 1.0);
    const Stage stage(last, "search", "refinement of the best");
    if (refine(last)) ledger_.claim_converged();
  }

  const SearchRequest& request_;
  const OptionValues options_;
  const Problem problem_;
  Ledger ledger_;
  Problem coarse_;
};

OptionValues completed_options(const SearchRequest& request) {
  OptionValues given = request.options;
  const std::vector<OptionInfo>& options = request.optimizer->options;
  const bool has_preset = std::ranges::count(options, "preset", &OptionInfo::name) > 0;
  if (has_preset && !request.additions.tuning) given.emplace("preset", name_of(Preset::kPaper));
  if (request.policy_in != nullptr && request.policy_in->algorithm == request.optimizer->name) {
    given.insert(request.policy_in->options.begin(), request.policy_in->options.end());
  }
  return checked_options(request.optimizer->options, given);
}

SearchResult run_search(const Problem& problem, const SearchRequest& request) {
  // What runs in it takes no more threads.
  tbb::task_arena threads(std::max(request.threads, 1));
  return threads.execute([&] { return SearchRun(problem, request).run(); });
}

}  // namespace placer

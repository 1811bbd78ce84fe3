#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "placer/search/checkpoint.hpp"
#include "placer/search/learner.hpp"
#include "placer/search/optimizer.hpp"
#include "placer/sim/schedule.hpp"
#include "placer/sim/simulator.hpp"

namespace placer {

/// A search stops at the first of these that is reached, or when its optimizer has nothing more to
/// try.
struct Budget {
  /// From 1. The nodes of exact searches count as well: a partial placement as one, ten partial
  /// schedules as one.
  std::int64_t evaluations = std::numeric_limits<std::int64_t>::max();
  double seconds = std::numeric_limits<double>::infinity();  // of wall time, above 0
  std::optional<Picoseconds> target_ps;  // a step time that is good enough, if it fits
};

/// `--groups`: how many groups the optimizer sees.
struct Grouping {
  enum class Kind { kAuto, kNone, kCount } kind = Kind::kAuto;
  std::size_t count = 0;  // of kCount, from 1
};

/// Besides the ends of a budget: the algorithm had nothing more to try, no change of the best
/// placement was better any more, the best is proven to be the best of all, there is no proof
/// within a limit of the algorithm's own, such as its nodes, or memory ran out.
enum class Stop {
  kExhausted,
  kConverged,
  kProven,
  kLimit,
  kMemory,
  kEvaluations,
  kTime,
  kTarget,
  kInterrupt
};
constexpr Names<9> names_of(Stop) {
  return {"exhausted",   "converged", "proven", "limit",    "memory",
          "evaluations", "time",      "target", "interrupt"};
}

/// One improvement of the best so far.
struct Improvement {
  std::int64_t evaluations = 0;  // the evaluation that found it, from 1
  double wall_seconds = 0;
  Score score;
};

/// One point of a learning curve: a window of evaluations. All windows have the same number of
/// evaluations, and there are at most 256.
struct CurvePoint {
  std::int64_t evaluations = 0;             // the last one of the window, from 1
  std::optional<double> wall_seconds;       // after it; empty: before the run was resumed
  std::optional<double> mean_seconds;       // step time over the window; empty: all deadlocks
  std::optional<Picoseconds> best_step_ps;  // so far; empty: nothing fits yet
};

struct SearchProgress {
  std::int64_t evaluations = 0;
  double wall_seconds = 0;
  double share = 0;  // of the budget, 0 to 1
  Score best;
};

/// What is done besides what an algorithm's paper does.
struct Additions {
  bool single_devices = true;  // a learner first tries everything on one device
  bool refinement = true;      // of the best that a search of merged groups has found
  bool tuning = true;          // the option "preset" is "tuned" where it is not given
};
/// None of them: with no groups merged either, what an algorithm's paper describes.
inline constexpr Additions kAsPublished = {
    .single_devices = false, .refinement = false, .tuning = false};

/// Where a search stands.
struct SearchState {
  double wall_seconds = 0;
  std::int64_t improvements = 0;  // of the best so far, from 1
  const Placement& best;          // of the problem's own groups
  const OpOrder& order;           // under `given`; empty: by upward rank
  const Score& score;
  std::span<const Score> scores;  // of all evaluations, where the request keeps them
};

struct LowerBounds;
class BatchScorer;
class SliceRunner;

struct SearchRequest {
  const Optimizer* optimizer = nullptr;
  OptionValues options;  // checked and completed by run_search
  Order order = Order::kFifo;
  Budget budget;
  Grouping grouping;
  Additions additions;
  std::uint64_t seed = 1;
  int threads = 1;
  std::optional<Placement> start;  // of the problem's own groups; scored first
  OpOrder start_order;             // the start's own order under `given`; empty elsewhere
  /// Scored where the time is up before the optimizer has what fits; empty: where it has nothing,
  /// everything on the fastest device that holds the parameters.
  std::optional<Placement> at_hand;
  std::optional<Score> at_hand_score;  // where it is known
  /// Of the problem, outlive the run; null: who needs them works them out.
  const LowerBounds* bounds = nullptr;
  const Policy* policy_in = nullptr;  // to begin with; outlives the run
  /// The scores of an earlier run of this request, which begin this one's, without simulations;
  /// outlives the run. Not with a budget of seconds, under which no two runs are the same.
  const SearchCheckpoint* resume = nullptr;
  bool keeps_scores = false;     // all of them, to be resumed from
  std::size_t keeps_elites = 0;  // how many of the best placements
  bool keeps_updates = false;    // of a learner
  bool keeps_schedule = false;   // of the best, where an evaluation can tell it
  /// Runs slices of the search (`OptimizerInfo::in_slices`); null: the threads do. Outlives the
  /// run.
  SliceRunner* slices = nullptr;
  /// Scores batches (`OptimizerInfo::in_batches`); null: the threads do. Outlives the run.
  BatchScorer* scorer = nullptr;
  const std::atomic<bool>* interrupt = nullptr;            // set: stop soon
  std::function<void(const SearchProgress&)> on_progress;  // after evaluations, same thread
  std::function<void(const SearchState&)> on_state;        // the same
  Observer observer;                                       // told what is tried and gained
};

/// A learner whose last samples put everything that has a choice on one and the same device.
struct Collapse {
  DeviceId device;
  std::int64_t samples = 0;  // of its own before that
  friend bool operator==(const Collapse&, const Collapse&) = default;
};

struct SearchResult {
  Placement placement;  // of the problem's own groups
  OpOrder order;        // under `given`; empty: by upward rank
  Score score;
  std::optional<Schedule> schedule;  // where the request keeps it and it is known
  std::int64_t evaluations = 0;
  double wall_seconds = 0;
  double seconds_to_best = 0;
  /// Mean step time of the optimizer's last 100 evaluations (refinement afterwards not counted).
  double recent_mean_seconds = 0;
  /// The best of the optimizer's own evaluations: not the start's, not those of single devices that
  /// a learner tries first, not those of the refinement. Empty where it made none.
  std::optional<Score> best_sample;
  std::optional<Collapse> collapse;        // of a learner
  std::optional<Picoseconds> schedule_ps;  // what a list scheduler's own schedule claims
  bool proven = false;                     // nothing scores better under the order in force
  std::optional<Picoseconds> bound_ps;     // that the algorithm knows: nothing that fits takes less
  std::vector<Improvement> history;
  std::vector<Score>
      scores;  // of all evaluations before an interrupt, where the request keeps them
  /// The best that fit, the best first, no two of one score, as many as the request keeps.
  std::vector<Candidate> elites;
  std::vector<CurvePoint> curve;
  std::vector<LearnerUpdate> updates;  // of a learner, where the request keeps them
  std::int64_t samples = 0;            // the optimizer's own evaluations; what follows refines
  std::optional<Policy> policy;        // that an algorithm which transfers has learnt
  std::size_t groups = 0;              // that the optimizer saw
  Stop stopped = Stop::kExhausted;
};

/// All options of the request's algorithm. What the request gives comes before what its policy was
/// learnt with, and that before the defaults. Throws Error for unknown options and for values out
/// of range.
OptionValues completed_options(const SearchRequest& request);

/// Throws Error unless `policy` was learnt by `optimizer` and chooses among `devices` devices. For
/// an optimizer whose policies do not transfer, the message lists those whose do.
void check_policy(const Policy& policy, const Optimizer& optimizer, std::size_t devices);
/// The names of the algorithms whose policies serve other graphs.
std::vector<std::string> transferring_algorithms();
/// The names of the algorithms that learn.
std::vector<std::string> learning_algorithms();

/// Runs the request's optimizer on `problem`: scores the start, merges groups as asked, searches,
/// and, when groups were merged (here or by the optimizer), refines the best placement group by
/// group with the last of the budget. Throws Error for bad options, for an optimizer that this
/// build is without, for a policy that is not for it and for a checkpoint of another request
/// ("checkpoint: ..."). At least one placement is always scored: the one at hand where the time is
/// up before the optimizer has one. The time limit and the interrupt are asked within all long work
/// but a simulation.
SearchResult run_search(const Problem& problem, const SearchRequest& request);

}  // namespace placer

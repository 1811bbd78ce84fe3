#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "placer/base/observer.hpp"
#include "placer/base/rng.hpp"
#include "placer/model/problem.hpp"
#include "placer/search/policy.hpp"
#include "placer/search/walk_order.hpp"
#include "placer/sim/schedule.hpp"
#include "placer/sim/simulator.hpp"

namespace placer {

class ContiguityRepair;
class Ledger;
struct LearnerUpdate;
struct LowerBounds;
class Evaluators;

/// A placement that was scored.
struct Candidate {
  Placement placement;
  OpOrder order;  // empty unless it was scored with one
  Score score;
};

class Walk;

/// What an optimizer is handed: the problem, random numbers, and the only way to score placements.
/// Counts evaluations, keeps the best placement, and stops handing out scores when the budget is
/// spent; an optimizer returns nothing. Long work on the problem throws Stopped when the run's time
/// is up or it is interrupted, which ends the run with the best so far. Used by one thread.
class Search {
 public:
  const Problem& problem() const { return *problem_; }
  Rng& rng() { return rng_; }

  /// Whether the order of ops is searched too (order `given`). Where it is not, the orders that are
  /// handed to this class are ignored, so that an optimizer need not ask.
  bool searches_orders() const;
  /// In which devices take their ops.
  Order order() const { return order_; }

  /// The score of `placement`, under order `given` together with `order`. Where it breaks the
  /// contiguity that the goal asks for, or its calls wait for each other, a pipeline near to it is
  /// scored and recorded instead, if there is one. Empty once the budget is spent: then the
  /// optimizer has to return.
  std::optional<Score> evaluate(const Placement& placement, const OpOrder& order = {});
  /// The scores of many placements, found in parallel, by index; they are the same for any number
  /// of threads. There are fewer than `placements` when the budget ran out or a score reached the
  /// target: then the optimizer has to return. `orders` has one order for each placement, or none
  /// at all.
  std::vector<Score> evaluate_all(std::span<const Placement> placements,
                                  std::span<const OpOrder> orders = {});
  /// A walk that begins at `start` and goes on by moves. Scoring the start takes one evaluation,
  /// unless it is the best so far. Empty once the budget is spent.
  std::optional<Walk> walk(Placement start, OpOrder order = {});
  /// The same, but each move takes along the groups that have to move with it so that the
  /// contiguity that the goal asks for is kept, as far as `start` keeps it.
  std::optional<Walk> contiguous_walk(Placement start, OpOrder order = {});

  /// What runs and moves when under `placement`. Counts as an evaluation; empty once the budget is
  /// spent. Where the score is a deadlock, all but the score is unspecified.
  std::optional<Schedule> schedule_of(const Placement& placement, const OpOrder& order = {});

  /// Whether the budget is spent, so that `evaluate` would return nothing.
  bool spent() const;
  /// The share of the budget that is used, from 0 to 1.
  double progress() const;
  /// How many evaluations are left in this part's budget; very many under a time limit alone.
  std::int64_t evaluations_left() const;

  /// Who is told what the run does. Telling costs nothing where nobody listens.
  const Observer& observer() const;
  /// Whether a learner's updates are kept or told of: their figures take time of their own.
  bool hears_updates() const;
  /// Keeps an update of a learner, where the request asks for that.
  void keep_update(const LearnerUpdate& update);
  /// Evaluations of the whole run so far.
  std::int64_t evaluations() const;
  /// Seconds since the run began.
  double wall_seconds() const;

  /// The placement to start from (`--start`), already scored; null when there is none.
  const Placement* start() const;
  /// The order of ops that came with the start; empty where it came without one.
  const OpOrder& start_order() const;
  /// The best placement so far in this part's groups; null before the first evaluation, and where
  /// the best cannot be expressed in these groups.
  const Placement* best() const;
  /// The order of ops with which the best placement was scored; empty where it was scored without
  /// one. May be called only after an evaluation.
  const OpOrder& best_order() const;
  /// The score of the best placement. May be called only after an evaluation.
  Score best_score() const;
  /// The best that this very object has scored, not counting its parts and other searches; null
  /// before its first evaluation.
  const Candidate* own_best() const { return own_best_ ? &*own_best_ : nullptr; }

  /// A number to learn from. For a placement that fits it is the step time T in seconds; for
  /// another one T (1 + 10 overflow / capacity + 10 astray / ops), where the capacity is the memory
  /// of the smallest device, and astray the number of ops that break the contiguity asked for. It
  /// is finite even for a deadlock.
  double cost_seconds(const Score& score) const;

  /// Those that the request has, where this part places the whole problem; else null.
  const LowerBounds* known_bounds() const;
  /// Whether a learner should try everything on one device before its first sample.
  bool begins_with_single_devices() const;
  /// Whether what is scored from now on is among the optimizer's own samples; at first it is.
  void count_as_samples(bool counts);

  /// To be called when the best so far is proven optimal: nothing scores better under the order in
  /// force. The optimizer then returns, as there is nothing more to try.
  void claim_optimal();
  /// No placement that fits takes less than `bound_ps`, in this problem's groups, under the order
  /// in force: the search is spent as soon as the best takes no longer, which proves it optimal.
  void know_bound(Picoseconds bound_ps);
  /// To be called when the search ends without a proof at a limit of its own.
  void claim_own_limit();
  /// Counts other work that takes about as long as so many evaluations towards the budget.
  void count_work(std::int64_t evaluations);
  /// Whether there is a budget of evaluations or time at all.
  bool limited() const;

  /// The policy to begin with (`--policy-in`), for as many devices as the problem has; null when
  /// there is none.
  const Policy* policy() const;
  /// Hands over what was learnt. The policy's algorithm, options and device count are filled in
  /// here.
  void keep_policy(Policy policy);

  /// Reports the step time that a list scheduler's own schedule of its placement has.
  void claim_schedule(Picoseconds step_ps);

  /// A search with `share` of what is left of this one's budget, and with random numbers of its
  /// own, over the same problem or the same with other groups. This search must outlive it, and
  /// only one part may be in use at a time.
  Search part(double share);
  Search part(double share, const Problem& regrouped);
  /// The same with so many evaluations, if as many are left, and all of the time.
  Search part_of(std::int64_t evaluations);
  /// The same with all that is left, where orders are searched: its placements run in another
  /// order, which a walk is scored in faster. What is better than the best so far is recorded with
  /// the order of ops in which it ran, and with the score that it has in that order.
  Search part_under(Order order);

  Search(Search&&) noexcept;
  ~Search();

 private:
  friend class SearchRun;
  friend class SideBySide;
  friend class TrainingRun;
  friend class Walk;
  Search(Ledger& ledger, const Problem& problem, Order order, Rng rng, std::int64_t last_evaluation,
         double last_second);

  std::int64_t room(std::size_t wanted) const;
  std::optional<Score> score(const Placement& placement, const OpOrder& order);
  /// The score of the next evaluation, of `placement`: as it was recorded, else simulate().
  template <class Simulate>
  Score recorded_or(Simulate simulate, const Placement& placement, const OpOrder& order);
  Score record(const Placement& placement, const OpOrder& order, const Score& score);
  void keep(const Placement& placement, const OpOrder& order, const Score& score);
  std::optional<Score> evaluate_proposal(const Walk& walk, Picoseconds most_ps);
  /// Up to which step time scores have to be known, if `most_ps` is enough for who asks.
  Picoseconds known_until(Picoseconds most_ps) const;
  std::vector<Score> evaluate_chunk(std::span<const Placement> placements,
                                    std::span<const OpOrder> orders);

  Ledger* ledger_;
  const Problem* problem_;
  Order order_;
  Rng rng_;
  std::unique_ptr<Evaluators> evaluators_;
  std::unique_ptr<Simulator> as_given_;  // in a part under another order; built when first used
  mutable std::optional<Placement> best_here_;
  mutable std::int64_t best_here_version_ = -1;
  std::optional<Placement> start_here_;
  std::optional<Candidate> own_best_;
  std::int64_t first_evaluation_, last_evaluation_;
  double first_second_, last_second_;
  std::uint64_t parts_ = 0, walks_ = 0;
};

/// A current placement that changes by moves of one or a few groups and, where it has an order of
/// ops, by shifts of ops in that order. Moves are scored through the walk's Search, often much
/// faster than whole placements, with the same bits.
class Walk {
 public:
  const Placement& placement() const { return current_; }
  /// The current order of ops; empty where the walk has none.
  const OpOrder& order() const { return order_.current(); }
  /// The position of `op` in the order.
  std::size_t position(OpId op) const { return order_.position(op); }
  Score score() const { return score_; }
  /// The score that the current placement would have after `moves` and then, one after the other,
  /// `shifts`. The current placement stays as it is. Empty once the budget is spent. Of a step
  /// that takes longer than `most_ps` nothing but the time has to be known: its score may be
  /// Score::too_long, and the proposal is not to be accepted.
  std::optional<Score> propose(std::span<const Move> moves, std::span<const OpShift> shifts = {},
                               Picoseconds most_ps = kAnyTime);
  /// The moves of the last proposal, with what came along.
  std::span<const Move> proposed_moves() const { return moves_; }
  /// Makes the last proposal the current placement.
  void accept();

 private:
  friend class Search;
  Walk(Search& search, Placement start, OpOrder order, Score score);

  Search* search_;
  ContiguityRepair* repair_ = nullptr;  // of moves, in contiguous walks
  std::uint64_t number_;                // among the walks of its search
  WalkOrder order_;
  Placement current_, proposed_;
  Score score_, proposed_score_;
  std::vector<Move> moves_;
};

}  // namespace placer

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

namespace placer {

class Ledger;
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
/// spent; an optimizer returns nothing. Used by one thread.
class Search {
 public:
  const Problem& problem() const { return *problem_; }
  Rng& rng() { return rng_; }

  /// Whether the order of ops is searched too (order `given`). Elsewhere the orders handed to this
  /// class are ignored, so that an optimizer need not ask.
  bool searches_orders() const;

  /// The score of `placement`, under `given` with `order`; empty once the budget is spent: time to
  /// return.
  std::optional<Score> evaluate(const Placement& placement, const OpOrder& order = {});
  /// In parallel; scores by index, the same for any number of threads. Shorter than `placements`
  /// when the budget ran out or a score reached the target: time to return.
  /// `orders` has one for each placement, or none at all.
  std::vector<Score> evaluate_all(std::span<const Placement> placements,
                                  std::span<const OpOrder> orders = {});
  /// A walk by moves from `start`, scored by one evaluation unless it is the best so far; empty
  /// once the budget is spent.
  std::optional<Walk> walk(Placement start, OpOrder order = {});

  /// What ran and moved when; counts as an evaluation, and is empty once the budget is spent.
  /// Unspecified but for its score where that is a deadlock.
  std::optional<Schedule> schedule_of(const Placement& placement, const OpOrder& order = {});

  /// True once `evaluate` would be empty.
  bool spent() const;
  /// Share of the budget used, from 0 to 1.
  double progress() const;
  /// Evaluations left in this part's budget (very many under a time limit alone).
  std::int64_t evaluations_left() const;

  /// Who is told what the run does. Telling costs nothing where nobody listens.
  const Observer& observer() const;
  /// Evaluations of the whole run so far.
  std::int64_t evaluations() const;
  /// Seconds since the run began.
  double wall_seconds() const;

  /// The placement to start from (`--start`), already scored; null when there is none.
  const Placement* start() const;
  /// Of the start; empty where it came without.
  const OpOrder& start_order() const;
  /// The best placement so far in this part's groups; null before the first evaluation, and where
  /// the best cannot be expressed in these groups.
  const Placement* best() const;
  /// Of the best placement; empty unless it was scored with one. Only after an evaluation.
  const OpOrder& best_order() const;
  /// Only after an evaluation.
  Score best_score() const;
  /// The best that this very object has scored, its parts and other searches apart; null before.
  const Candidate* own_best() const { return own_best_ ? &*own_best_ : nullptr; }

  /// A number to learn from: the step time in seconds, for placements that do not fit stretched by
  /// their overflow over the memory of the smallest device: T (1 + 10 overflow / capacity); finite
  /// even for a deadlock.
  double cost_seconds(const Score& score) const;

  /// The best so far is proven: nothing scores better under the order in force. Nothing more to
  /// try.
  void claim_optimal();
  /// Whether there is a budget of evaluations or time at all.
  bool limited() const;

  /// The policy to begin with (`--policy-in`), for as many devices; null when there is none.
  const Policy* policy() const;
  /// What was learnt; its algorithm, options and device count are filled in.
  void keep_policy(Policy policy);

  /// A list scheduler's own claim of the step time of its placement.
  void claim_schedule(Picoseconds step_ps);

  /// A search with `share` of what is left of this one's budget and its own random stream, over the
  /// same problem or one with other groups. `this` must outlive it; use one at a time.
  Search part(double share);
  Search part(double share, const Problem& regrouped);

  Search(Search&&) noexcept;
  ~Search();

 private:
  friend class SearchRun;
  friend class TrainingRun;
  friend class Walk;
  Search(Ledger& ledger, const Problem& problem, Rng rng, std::int64_t last_evaluation,
         double last_second);

  std::int64_t room(std::size_t wanted) const;
  void record(const Placement& placement, const OpOrder& order, const Score& score);
  std::optional<Score> evaluate_proposal(const Walk& walk);
  std::vector<Score> evaluate_chunk(std::span<const Placement> placements,
                                    std::span<const OpOrder> orders);

  Ledger* ledger_;
  const Problem* problem_;
  Rng rng_;
  std::unique_ptr<Evaluators> evaluators_;
  mutable std::optional<Placement> best_here_;
  mutable std::int64_t best_here_version_ = -1;
  std::optional<Placement> start_here_;
  std::optional<Candidate> own_best_;
  std::int64_t first_evaluation_, last_evaluation_;
  double first_second_, last_second_;
  std::uint64_t parts_ = 0, walks_ = 0;
};

/// A current placement that changes by moves of one or a few groups and, where the search walks
/// with an order, by shifts of ops in it. Goes through its Search; the search behind it may score
/// moves faster than whole placements, with the same bits.
class Walk {
 public:
  const Placement& placement() const { return current_; }
  /// Empty where it walks without one.
  const OpOrder& order() const { return order_.current(); }
  /// Of `op` in the order.
  std::size_t position(OpId op) const { return order_.position(op); }
  Score score() const { return score_; }
  /// The score of the current placement after `moves` and, one after the other, `shifts`; the
  /// current one stays. Empty once the budget is spent.
  std::optional<Score> propose(std::span<const Move> moves, std::span<const OpShift> shifts = {});
  /// Makes the last proposal current.
  void accept();

 private:
  friend class Search;
  Walk(Search& search, Placement start, OpOrder order, Score score);

  Search* search_;
  std::uint64_t number_;  // among the walks of its search
  WalkOrder order_;
  Placement current_, proposed_;
  Score score_, proposed_score_;
  std::vector<Move> moves_;
};

}  // namespace placer

#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "placer/search/run.hpp"
#include "search/core/collapse.hpp"
#include "search/core/curve.hpp"
#include "search/core/elites.hpp"
#include "search/core/slices.hpp"

namespace placer {

/// What slices at work have done that the books of their run do not have yet.
struct SlicesAhead {
  std::int64_t evaluations = 0;
  const Candidate* best = nullptr;  // better than that of the books; of the problem's own groups
  std::span<const Score> scores;    // those of the books and some of theirs; empty: not kept
};

/// The books of one run: what was spent, the best so far, its history, and the reasons to stop.
/// Placements in it are of the problem's own groups.
class Ledger {
 public:
  Ledger(const Problem& problem, const SearchRequest& request);
  /// The books of `slice`, whose placements are `placed`'s, within the run of `whole`. Its best is
  /// at first what it starts from, and its first scores are those that are recorded for `whole`.
  /// `request` is that of the run with the slice's budget.
  Ledger(const Ledger& whole, const SearchRequest& request, const Problem& placed,
         const Slice& slice, const SlicesEnded& ended);

  const Problem& problem() const { return problem_; }
  const SearchRequest& request() const { return request_; }
  std::int64_t evaluations() const { return evaluations_; }
  /// Evaluations and what counts as such.
  std::int64_t spent() const { return evaluations_ + other_work_; }
  double wall_seconds() const;

  /// Whether the first evaluation has to be made whatever happens: there is no answer yet, and the
  /// request has none at hand, or a start that may be better.
  bool must_answer() const;
  /// Whether the run has to stop, which it has not as long as it must answer: after an interrupt,
  /// when the time is up, and when the target or the bound is reached.
  bool stopped(double last_second) const;
  bool interrupted() const;
  bool target_reached() const;

  /// Counts one evaluation of `placement`, whose groups are `placed`'s, with `order`.
  void record(const Problem& placed, const Placement& placement, const OpOrder& order,
              const Score& score);
  /// What ran when in the best, which has just been recorded.
  void keep_schedule(Schedule schedule) { schedule_ = std::move(schedule); }
  /// Counts all that a slice did, as if it had been done here.
  void absorb(const Problem& placed, const SliceEnd& end);
  /// All that a slice did, but for its best.
  SliceEnd end_of_slice() const;
  /// Counts other work that takes as long as so many evaluations.
  void count_work(std::int64_t evaluations) { other_work_ += evaluations; }
  void report_progress(const SlicesAhead& ahead = {}) const;
  /// To be called when a slice at work has found what is better than the best so far.
  void hear_of_better() { ++heard_; }
  /// Of all evaluations so far, where the request keeps them.
  std::span<const Score> scores() const;

  /// The scores of the next evaluations that the run which this one resumes has made, `most` at
  /// most.
  std::span<const Score> recorded(std::size_t most) const;
  /// Whether the next evaluation is one of those that are made again, as a proof that this run is
  /// the one that is resumed.
  bool is_proof() const;
  /// Throws Error unless `score` is what was recorded `ahead` of the next evaluation.
  void check_recorded(const Score& score, std::size_t ahead = 0) const;

  /// Up to which step time scores have to be known for what is kept of a run, if `most_ps` is
  /// enough for who asks.
  Picoseconds known_until(Picoseconds most_ps) const;

  bool has_best() const { return best_.has_value(); }
  const Placement& best() const { return *best_; }
  /// The order of ops with which the best was scored; empty unless order `given` is in force and it
  /// came with one.
  const OpOrder& best_order() const { return best_order_; }
  const Score& best_score() const { return best_score_; }
  /// A number that changes whenever the best does.
  std::int64_t best_version() const { return static_cast<std::int64_t>(history_.size()) + heard_; }

  /// Whether what is recorded from now on may be the optimizer's best sample; at first it may.
  void count_as_samples(bool counts) { counts_as_samples_ = counts; }
  /// To be called when the optimizer has returned: what is recorded from now on is refinement, not
  /// its own samples.
  void end_of_samples();
  void keep_policy(Policy policy) { policy_ = std::move(policy); }
  void keep_update(const LearnerUpdate& update) {
    if (request_.keeps_updates) updates_.push_back(update);
  }
  void claim_optimal();
  /// Nothing that fits takes less.
  void know_bound(Picoseconds bound_ps) { bound_ps_ = std::max(bound_ps, bound_ps_.value_or(0)); }
  const std::optional<Picoseconds>& bound_ps() const { return bound_ps_; }
  /// The search has ended where no change that it tries is better.
  void claim_converged() { converged_ = true; }
  /// The search has ended at a limit of its own.
  void claim_own_limit() { own_limit_ = true; }
  void claim_out_of_memory() { out_of_memory_ = true; }
  void claim_schedule(Picoseconds step_ps) { schedule_ps_ = step_ps; }

  /// May be called once.
  SearchResult result(std::size_t groups);

  /// Adds all but wall times to a policy's state, under names that begin with `prefix`.
  void save(const std::string& prefix, Policy& policy) const;
  /// Takes what `save` has written; may be called only before the first evaluation. Throws Error
  /// for anything that `save` cannot have written.
  void load(const std::string& prefix, const Policy& policy);

 private:
  Stop stop_reason() const;
  bool is_proven() const;
  /// Counts an evaluation; true where its score is the best, so that `take_best` is to be called.
  bool count(const Score& score, bool keeps);
  void take_best(const Problem& placed, const Candidate& best);
  void add_to_curve(const Score& score);

  const Problem& problem_;
  const SearchRequest& request_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::int64_t evaluations_ = 0, other_work_ = 0;
  std::optional<Placement> best_;
  OpOrder best_order_;
  Score best_score_;
  std::optional<Schedule> schedule_;  // of the best, where it is known
  std::vector<Improvement> history_;
  std::int64_t heard_ = 0;     // of bests, before the slices that found them had ended
  std::vector<Score> scores_;  // first those that were recorded
  std::size_t recorded_ = 0;
  const bool keeps_for_resuming_;       // of a slice: those of the whole run
  std::vector<Picoseconds> recent_ps_;  // a ring of the last samples
  std::size_t samples_ = 0;
  std::optional<std::int64_t> end_of_samples_;
  bool counts_as_samples_ = true;
  std::optional<Score> best_sample_;
  CollapseWatch collapse_;
  Curve curve_;
  Elites elites_;
  std::optional<Policy> policy_;
  std::vector<LearnerUpdate> updates_;
  bool proven_ = false, converged_ = false, own_limit_ = false, out_of_memory_ = false;
  std::optional<Picoseconds> schedule_ps_, bound_ps_;
  bool is_cut_ = false;  // an absorbed slice was interrupted
  SlicesEnded ended_;
};

/// `placement`, which is of `from`'s groups, as one of `to`'s groups. Empty where a group of `to`
/// would be on several devices.
std::optional<Placement> regroup(const Problem& from, const Placement& placement,
                                 const Problem& to);

}  // namespace placer

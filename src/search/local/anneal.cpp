#include "search/local/anneal.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "search/local/call_moves.hpp"
#include "search/local/cooling.hpp"
#include "search/local/critical_moves.hpp"

namespace placer {
namespace {

constexpr std::size_t kMostEmpty = 2000;    // draws in a row without a change
constexpr std::size_t kMostScreened = 500;  // changes in a row that are not worth evaluating
constexpr double kShorter = 0.95;           // a step, perhaps, after a change that lacks memory
constexpr int kSortEvery = 50;              // changes after which the order follows the starts
constexpr int kFollowEvery = 8;             // changes after which a large graph's is followed
constexpr std::size_t kOpsAChange = 250;    // for each of these changes

class Annealing {
 public:
  Annealing(Search& search, const AnnealOptions& options)
      : search_(search),
        candidates_(static_cast<std::size_t>(options.candidates)),
        neighbours_(search.problem()),
        moves_(search.problem(), neighbours_),
        cooling_(search, options),
        follow_every_(std::clamp(static_cast<int>(search.problem().op_count() / kOpsAChange), 1,
                                 kFollowEvery)) {
    if (EstimatedMemory::serves(search.problem())) moves_.estimate_memory();
  }

  void run(Placement start, const OpOrder& order) {
    bool more = stand_at(std::move(start), order);
    std::size_t empty = 0, screened = 0;
    while (more && empty < kMostEmpty) {
      if (cooling_.cool() && !stand_at_best()) return;
      moves_.draw(*walk_, search_.rng(), candidates_, change_);
      if (change_.empty()) {
        ++empty;
        continue;
      }
      empty = 0;
      const double limit = cooling_.limit_seconds(walk_->score());
      if (is_refused(limit) && ++screened < kMostScreened) continue;
      screened = 0;
      more = step_within(limit);
    }
  }

 private:
  /// False once the budget is spent.
  bool stand_at(Placement placement, const OpOrder& order) {
    const std::optional<Schedule> schedule = search_.schedule_of(placement, order);
    if (!schedule) return false;
    moves_.read(*schedule, search_.rng());
    walk_ =
        search_.contiguous_walk(std::move(placement), order_by_start(search_.problem(), *schedule));
    const double busy_ps = std::accumulate(schedule->busy_ps.begin(), schedule->busy_ps.end(), 0.0);
    cooling_.set_scale(busy_ps / kPicosecondsPerSecond /
                       static_cast<double>(search_.problem().groups().size()));
    return walk_.has_value();
  }

  bool stand_at_best() {
    return stand_at(search_.own_best()->placement, search_.own_best()->order);
  }

  /// By what is estimated of the change, to which moves are added where that makes room for it.
  bool is_refused(double limit_seconds) {
    if (to_seconds(change_.estimate_ps) > limit_seconds) return true;
    if (!costs_more(moves_.more_overflow_bytes(change_), limit_seconds)) return false;
    return costs_more(moves_.make_room(*walk_, search_, change_), limit_seconds);
  }

  /// Whether the change would cost more than the limit for `more_bytes` that it lacks even if it
  /// made the step somewhat shorter.
  bool costs_more(double more_bytes, double limit_seconds) const {
    Score score = walk_->score();
    if (more_bytes <= 0 || score == Score::deadlock()) return false;
    if (change_.estimate_ps > 0) score.step_ps = std::min(score.step_ps, change_.estimate_ps);
    score.step_ps = static_cast<Picoseconds>(kShorter * static_cast<double>(score.step_ps));
    score.overflow_bytes += static_cast<std::int64_t>(more_bytes);
    return cooling_.cost_seconds(score) > limit_seconds;
  }

  bool step_within(double limit_seconds) {
    const std::optional<Score> score =
        walk_->propose(change_.moves, change_.shifts, Cooling::longest_within(limit_seconds));
    if (!score) return false;
    if (cooling_.cost_seconds(*score) > limit_seconds) return true;
    walk_->accept();
    if (!search_.searches_orders()) return moves_.update(*walk_, search_);
    if (++changes_ % kSortEvery == 0) return stand_at(walk_->placement(), walk_->order());
    return changes_ % follow_every_ != 0 || moves_.update(*walk_, search_);
  }

  Search& search_;
  const std::size_t candidates_;
  const Neighbours neighbours_;
  CriticalMoves moves_;
  Cooling cooling_;
  const int follow_every_;  // where orders are searched: estimates of a few changes ago do as well
  std::optional<Walk> walk_;
  Change change_;
  int changes_ = 0;
};

/// Under the objective call-latency, where no schedule of the simulator says what is critical.
class CallAnnealing {
 public:
  CallAnnealing(Search& search, const AnnealOptions& options)
      : search_(search),
        neighbours_(search.problem()),
        moves_(search.problem(), neighbours_),
        cooling_(search, options) {}

  void run(Placement start, const OpOrder& order) {
    if (!search_.evaluate(start, order)) return;
    bool more = stand_at(std::move(start), order);
    for (std::size_t empty = 0; more && empty < kMostEmpty;) {
      if (cooling_.cool()) more = stand_at_best();
      moves_.draw(search_.rng(), change_);
      empty = change_.empty() ? empty + 1 : 0;
      if (more && !change_.empty()) more = step();
    }
  }

 private:
  /// False once the budget is spent.
  bool stand_at(Placement placement, const OpOrder& order) {
    walk_ = search_.contiguous_walk(std::move(placement), order);
    if (!walk_) return false;
    moves_.stand_at(walk_->placement());
    Picoseconds work_ps = 0;
    const Problem& problem = search_.problem();
    for (const GroupId group : IdRange<GroupId>(problem.groups().size())) {
      work_ps += problem.group_ps(group, walk_->placement()[group]);
    }
    cooling_.set_scale(to_seconds(work_ps) / static_cast<double>(problem.groups().size()));
    return true;
  }

  bool stand_at_best() {
    return stand_at(search_.own_best()->placement, search_.own_best()->order);
  }

  bool step() {
    const double limit_seconds = cooling_.limit_seconds(walk_->score());
    const std::optional<Score> score = walk_->propose(change_.moves);
    if (!score) return false;
    if (cooling_.cost_seconds(*score) > limit_seconds) return true;
    moves_.follow(walk_->proposed_moves());
    walk_->accept();
    return true;
  }

  Search& search_;
  const Neighbours neighbours_;
  CallMoves moves_;
  Cooling cooling_;
  std::optional<Walk> walk_;
  Change change_;
};

}  // namespace

void anneal_from(Search& search, Placement start, const OpOrder& order,
                 const AnnealOptions& options) {
  if (search.problem().goal().objective == Objective::kCallLatency) {
    return CallAnnealing(search, options).run(std::move(start), order);
  }
  Annealing(search, options).run(std::move(start), order);
}

}  // namespace placer

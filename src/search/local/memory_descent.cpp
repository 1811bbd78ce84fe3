#include "search/local/memory_descent.hpp"

#include <optional>

#include "search/local/ejection.hpp"

namespace placer {
namespace {

constexpr int kSchedulesApart = 8;     // changes after which the schedule is read anew
constexpr std::size_t kPatience = 40;  // draws in vain for each group
constexpr int kMostUntried = 500;      // changes in a row that lack memory and are not simulated
// Of the changes that are drawn; the others are of single groups.
constexpr double kLikenesses = 0.1, kTrades = 0.2, kBlocks = 0.1;

class MemoryDescent {
 public:
  explicit MemoryDescent(Search& search)
      : search_(search),
        problem_(search.problem()),
        neighbours_(problem_),
        alike_(problem_),
        memory_(problem_),
        ejection_(problem_, neighbours_),
        walk_(search.contiguous_walk(*search.best(), search.best_order())) {}

  void run() {
    bool more = walk_ && read();
    const std::size_t patience = kPatience * problem_.groups().size();
    for (vain_ = 0; more && vain_ < patience; ++vain_) {
      draw();
      if (!change_.empty() && has_room()) more = step();
    }
  }

 private:
  /// False once the budget is spent.
  bool read() {
    const std::optional<Schedule> schedule =
        search_.schedule_of(walk_->placement(), walk_->order());
    if (schedule) memory_.stand_at(*schedule);
    return schedule.has_value();
  }

  void draw() {
    Rng& rng = search_.rng();
    const Placement& placement = walk_->placement();
    const GroupId group(rng.below(problem_.groups().size()));
    double kind = rng.uniform();
    if ((kind -= kLikenesses) < 0) {
      draw_likeness(problem_, alike_, placement, group, rng, change_);
    } else if ((kind -= kTrades) < 0) {
      draw_trade(problem_, neighbours_, placement, group, rng, change_);
    } else if ((kind -= kBlocks) < 0) {
      draw_block(problem_, neighbours_, placement, group, rng, change_);
    } else {
      draw_adoption(problem_, neighbours_, placement, rng, change_);
    }
  }

  /// With the moves that are added for it. Now and then the estimate is not believed.
  bool has_room() {
    memory_.ask(change_.moves);
    if (memory_.more_overflow_bytes() > 0 &&
        ejection_.make_room(memory_, *walk_, search_, change_) > 0 && walk_->score().fits() &&
        ++untried_ < kMostUntried) {
      return false;
    }
    untried_ = 0;
    return true;
  }

  /// False once the budget is spent.
  bool step() {
    const std::optional<Score> score =
        walk_->propose(change_.moves, {}, walk_->score().longest_as_good());
    if (!score) return false;
    if (*score > walk_->score()) return true;
    if (*score < walk_->score()) vain_ = 0;
    walk_->accept();
    memory_.follow(walk_->placement());
    return ++changes_ % kSchedulesApart != 0 || read();
  }

  Search& search_;
  const Problem& problem_;
  const Neighbours neighbours_;
  const AlikeGroups alike_;
  EstimatedMemory memory_;
  Ejection ejection_;
  std::optional<Walk> walk_;
  Change change_;
  std::size_t vain_ = 0;
  int changes_ = 0, untried_ = 0;
};

}  // namespace

void descend_in_memory(Search& search) {
  if (search.best() != nullptr) MemoryDescent(search).run();
}

}  // namespace placer

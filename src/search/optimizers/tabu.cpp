// The best change is taken even where it is worse; what has just moved may not go back for a while,
// unless that gives a new best. After Glover, "Tabu Search", ORSA Journal on Computing 1(3), 1989,
// too.
#include <algorithm>
#include <utility>

#include "placer/search/optimizer.hpp"
#include "search/local/critical_moves.hpp"
#include "search/local/starts.hpp"

namespace placer {
namespace {

struct Options {
  std::int64_t sample = 24;
  std::int64_t evaluated = 4;
  std::int64_t tenure = 10;
  std::int64_t patience = 20;
};

constexpr std::array kRows = {
    option("sample", &Options::sample, 1, 100000, "changes drawn in each step"),
    option("evaluated", &Options::evaluated, 1, 100000,
           "of them, the most promising, are evaluated"),
    option("tenure", &Options::tenure, 0, 1000000,
           "steps for which what has moved may not go back, at least; at most twice as many"),
    option("patience", &Options::patience, 1, 1000000,
           "steps per group without a new best after which it starts from the best again"),
};
static_assert(kRows.size() == member_count<Options>);

/// What may not happen before which step: a group's return to a device, another shift of an op.
class TabuList {
 public:
  explicit TabuList(const Problem& problem)
      : devices_(problem.device_count()),
        until_(problem.groups().size() * devices_, 0),
        op_until_(problem.op_count(), 0) {}

  bool forbids(const Change& change, std::int64_t step) const {
    if (change.moves.empty()) {
      return std::ranges::any_of(
          change.shifts, [&](const OpShift& shift) { return op_until_[shift.op.index()] > step; });
    }
    return std::ranges::any_of(change.moves, [&](const Move& move) {
      return until_[move.group.index() * devices_ + move.device.index()] > step;
    });
  }

  /// `change` is about to be made at `placement`.
  void forbid_return(const Change& change, const Placement& placement, std::int64_t until) {
    for (const Move& move : change.moves) {
      until_[move.group.index() * devices_ + placement[move.group].index()] = until;
    }
    for (const OpShift& shift : change.shifts) op_until_[shift.op.index()] = until;
  }

 private:
  std::size_t devices_;
  std::vector<std::int64_t> until_;     // group * devices + device
  std::vector<std::int64_t> op_until_;  // by op
};

class TabuSearch {
 public:
  TabuSearch(const Options& options, Search& search)
      : options_(options),
        search_(search),
        neighbours_(search.problem()),
        moves_(search.problem(), neighbours_),
        tabu_(search.problem()) {}

  void run(Start start) {
    const auto patience =
        options_.patience * static_cast<std::int64_t>(search_.problem().groups().size());
    if (!stand_at(std::move(start.placement), start.order)) return;
    std::int64_t barren = 0, empty = 0;
    while (empty < patience) {
      ++step_;
      draw_sample();
      empty = sample_.empty() ? empty + 1 : 0;
      const Score best = search_.best_score();
      if (!sample_.empty() && !take_best_of_sample()) return;
      barren = search_.best_score() < best ? 0 : barren + 1;
      if (barren < patience || search_.best() == nullptr) continue;
      barren = 0;
      if (!stand_at(*search_.best(), search_.best_order())) return;
    }
  }

 private:
  bool stand_at(Placement placement, const OpOrder& order) {
    walk_ = moves_.walk_from(search_, std::move(placement), order);
    return walk_.has_value();
  }

  /// The most promising of those drawn.
  void draw_sample() {
    sample_.clear();
    for (std::int64_t i = 0; i < options_.sample; ++i) {
      Change change;
      moves_.draw(*walk_, search_.rng(), 1, change);
      if (!change.empty()) sample_.push_back(std::move(change));
    }
    std::ranges::stable_sort(sample_, {}, &Change::estimate_ps);
    const auto most = static_cast<std::size_t>(options_.evaluated);
    if (sample_.size() > most) sample_.resize(most);
  }

  /// False once the budget is spent. A new best is taken at once.
  bool take_best_of_sample() {
    const Change* taken = nullptr;
    const Change* proposed = nullptr;
    Score least;
    for (const Change& change : sample_) {
      const Score best = search_.best_score();
      const Picoseconds most_ps =
          taken == nullptr ? kAnyTime : std::max(least.longest_as_good(), best.longest_as_good());
      const std::optional<Score> score = walk_->propose(change.moves, change.shifts, most_ps);
      if (!score) return false;
      proposed = &change;
      const bool aspires = *score < best;
      if (!aspires && tabu_.forbids(change, step_)) continue;
      if (taken != nullptr && *score >= least) continue;
      taken = &change;
      least = *score;
      if (aspires) break;
    }
    if (taken == nullptr) return true;
    if (taken != proposed && !walk_->propose(taken->moves, taken->shifts)) return false;
    const auto tenure = static_cast<std::size_t>(options_.tenure);
    const auto until =
        step_ + 1 + static_cast<std::int64_t>(tenure + search_.rng().below(tenure + 1));
    tabu_.forbid_return(*taken, walk_->placement(), until);
    walk_->accept();
    return moves_.update(*walk_, search_);
  }

  const Options& options_;
  Search& search_;
  const Neighbours neighbours_;
  CriticalMoves moves_;
  TabuList tabu_;
  std::optional<Walk> walk_;
  std::vector<Change> sample_;
  std::int64_t step_ = 0;
};

void run(const Options& options, Search& search) {
  if (std::optional<Start> start = local_search_start(search)) {
    TabuSearch(options, search).run(std::move(*start));
  }
}

}  // namespace

Optimizer tabu() {
  return make_optimizer(
      {.summary = "the best of some changes along the critical path, none undone for a while",
       .unfit_for = "graphs whose critical path says little, such as those where links are full",
       .source = "Nowicki, Smutnicki: A Fast Taboo Search Algorithm for the Job Shop Problem, "
                 "Management Science 42(6), 1996",
       .anytime = true},
      kRows, run);
}

}  // namespace placer

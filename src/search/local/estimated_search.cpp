#include "search/local/estimated_search.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "placer/base/real.hpp"
#include "search/core/ledger.hpp"
#include "search/groups/levels.hpp"
#include "search/groups/neighbours.hpp"
#include "search/local/estimated_step.hpp"
#include "search/local/memory_repair.hpp"
#include "search/local/starts.hpp"

namespace placer {
namespace {

// Heat is the temperature at first, in units of the step for each group.
constexpr double kMostHeat = 0.5, kLeastHeat = 0.0005, kColdShare = 0.01;
constexpr double kHotter = 1.3, kCooler = 0.4;    // for the next annealing, after a gain or none
constexpr double kLightest = 0.2, kHeaviest = 5;  // weights of the sum of all times
constexpr double kTriesOfGroup = 60;
constexpr double kSliceShare = 0.3;      // of what is left, for one annealing
constexpr double kTakeNeighbours = 0.6;  // a neighbour's device, else any
constexpr std::int64_t kEachLook = 256;  // proposals, before time is looked at
constexpr double kOpsOfProposal = 10;    // an evaluation of so many takes as long
constexpr double kLittle = 0.01;         // gains below that are in vain
constexpr std::size_t kCoarsestGroups = 100;
constexpr double kLevelFactor = 4;
constexpr int kMostVain = 2;  // annealings in a row

class EstimatedSearch {
 public:
  explicit EstimatedSearch(Search& search)
      : search_(search), problem_(search.problem()), neighbours_(problem_), estimate_(problem_) {}

  /// The best that was reached from `placement`; empty once the budget is spent before that.
  std::optional<Candidate> run_from(Placement placement) {
    std::optional<Schedule> schedule = search_.schedule_of(placement);
    if (!schedule) return std::nullopt;
    Candidate best{std::move(placement), {}, schedule->score};
    double heat = kMostHeat;
    for (int vain = 0; vain < kMostVain && heat > kLeastHeat;) {
      estimate_.stand_at(*schedule, draw_weight());
      anneal(heat);
      Placement reached = estimate_.placement();
      std::optional<Schedule> next = repaired(reached);
      if (!next) break;
      const double gain = 1 - search_.cost_seconds(next->score) / search_.cost_seconds(best.score);
      vain = gain < kLittle ? vain + 1 : 0;
      heat = gain > 0 ? std::min(kMostHeat, heat * kHotter) : heat * kCooler;
      if (gain <= 0) continue;
      best = {std::move(reached), {}, next->score};
      schedule = std::move(next);
    }
    return best;
  }

 private:
  double draw_weight() {
    return kLightest * portable_exp(search_.rng().uniform() * portable_log(kHeaviest / kLightest));
  }

  void anneal(double heat) {
    const Search slice = search_.part(kSliceShare);
    const auto groups = static_cast<double>(problem_.groups().size());
    const double of_evaluation = static_cast<double>(problem_.op_count()) / kOpsOfProposal;
    const double most = std::min(kTriesOfGroup * groups,
                                 of_evaluation * static_cast<double>(slice.evaluations_left()));
    const double hot_ps = heat * estimate_.cost_ps() / groups;
    double temperature_ps = 0, share = 0;
    std::int64_t proposals = 0;
    for (; share < 1; ++proposals) {
      if (proposals % kEachLook == 0) {
        share = most > 0 ? static_cast<double>(proposals) / most : 1;
        share = std::max(share, slice.spent() ? 1 : slice.progress());
        temperature_ps = hot_ps * portable_exp(share * portable_log(kColdShare));
      }
      propose(temperature_ps);
    }
    search_.count_work(static_cast<std::int64_t>(static_cast<double>(proposals) / of_evaluation));
  }

  void propose(double temperature_ps) {
    Rng& rng = search_.rng();
    const Groups& groups = problem_.groups();
    const GroupId group(rng.below(groups.size()));
    const std::span<const GroupId> around = neighbours_.of(group);
    const DeviceId to = around.empty() || !rng.chance(kTakeNeighbours)
                            ? rng.pick(groups.allowed(group))
                            : estimate_.placement()[rng.pick(around)];
    if (to == estimate_.placement()[group] || !groups.is_allowed(group, to)) return;
    if (estimate_.change_ps(group, to) <= -temperature_ps * portable_log(1 - rng.uniform())) {
      estimate_.move();
    }
  }

  /// The schedule of `placement`, which is first made to fit where that is possible. Empty once the
  /// budget is spent.
  std::optional<Schedule> repaired(Placement& placement) {
    std::optional<Schedule> schedule = search_.schedule_of(placement);
    if (!schedule || schedule->score.fits()) return schedule;
    const std::optional<Candidate> better = repair_memory(search_, placement);
    if (!better || better->placement == placement) return schedule;
    placement = better->placement;
    return search_.schedule_of(placement);
  }

  Search& search_;
  const Problem& problem_;
  const Neighbours neighbours_;
  EstimatedStep estimate_;
};

/// What the search of the coarsest level begins from; empty once the budget is spent before that.
std::optional<Placement> first_of(Search& part) {
  try_plain_starts(part);
  if (part.own_best() == nullptr) return std::nullopt;
  return part.own_best()->placement;
}

/// The best of the coarse levels, in the search's own groups.
std::optional<Candidate> search_coarse_levels(Search& search) {
  const Problem& problem = search.problem();
  const std::vector<Problem> levels = coarse_levels(problem, kCoarsestGroups, kLevelFactor, nullptr,
                                                    [&] { return search.spent(); });
  std::optional<Candidate> best;
  for (std::size_t left = levels.size(); left > 0 && !search.spent(); --left) {
    const Problem& level = levels[left - 1];
    Search part = search.part(1 / static_cast<double>(left + 1), level);
    std::optional<Placement> start = best ? std::move(best->placement) : first_of(part);
    if (start) best = EstimatedSearch(part).run_from(std::move(*start));
    if (!start || !best) return std::nullopt;
    best->placement = *regroup(level, best->placement, left > 1 ? levels[left - 2] : problem);
  }
  return best;
}

}  // namespace

void search_by_estimate(Search& search) {
  if (search.best() == nullptr || !EstimatedStep::serves(search.problem())) return;
  const std::optional<Candidate> merged = search_coarse_levels(search);
  if (search.spent()) return;
  const bool is_better =
      merged && search.cost_seconds(merged->score) < search.cost_seconds(search.best_score());
  EstimatedSearch(search).run_from(is_better ? merged->placement : *search.best());
}

}  // namespace placer

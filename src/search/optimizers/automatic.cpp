// Good answers at once, by all list schedulers; then what suits the problem: proofs of tiny ones,
// memories packed by prices, layers placed alike, stages that are shared out, annealing level by
// level or windows around what is critical; and annealing with what is left. Where orders are
// searched, what ends too late for a step as short as the bound. Stops when the best is proven
// optimal. The shares were measured on Inception-V3 and ResNet-50 (2 to 8 devices), planted
// schedules, layered graphs of 10,000 ops and, where memory is tight, GPT-2 XL.

#include <fmt/format.h>

#include <algorithm>

#include "placer/search/bounds.hpp"
#include "placer/search/optimizer.hpp"
#include "search/bounds/step_windows.hpp"
#include "search/core/events.hpp"
#include "search/core/plain_placements.hpp"
#include "search/core/refine.hpp"
#include "search/exact/branch_and_bound.hpp"
#include "search/exact/meet_windows.hpp"
#include "search/exact/pipeline_search.hpp"
#include "search/exact/schedule_model.hpp"
#include "search/groups/levels.hpp"
#include "search/lists/rules.hpp"
#include "search/local/anneal.hpp"
#include "search/local/layer_patterns.hpp"
#include "search/local/memory_packing.hpp"
#include "search/local/multilevel.hpp"
#include "search/local/stage_balance.hpp"
#include "search/local/starts.hpp"
#include "search/local/window_search.hpp"

namespace placer {
namespace {

// These are shares of what is left of the budget at that point.
constexpr double kListShare = 0.1;
constexpr double kAllShare = 0.5, kExactShare = 0.2;
constexpr double kLayerShare = 0.3, kOtherLevelShare = 0.5;
constexpr double kBalanceShare = 0.25;
constexpr double kTiedShare = 0.1, kLevelShare = 0.75;
constexpr double kTightShare = 0.4, kRefineShare = 0.8;
constexpr double kWindowShare = 0.2, kTightWindowShare = 0.05;
constexpr double kOrderShare = 0.25, kBoundShare = 0.9;

constexpr double kLatestVariant = 0.5;    // of the budget
constexpr double kMostOpsInAll = 1e7;     // ops times placements: about a second
constexpr std::int64_t kNodes = 20'000;   // of branch and bound, fewer beyond 1,000 ops
constexpr double kMostPlacements = 1e5;   // for it, unless orders are searched
constexpr std::size_t kManyGroups = 300;  // worth merging
constexpr double kNear = 1.01;            // times the bound
constexpr std::size_t kCoarsest = 40;
constexpr std::size_t kGroupsInStarts = 3'000;  // all starts together
constexpr std::size_t kMostStarts = 3;
constexpr double kCoarsening = 3;
constexpr double kWide = 2;                // times the bound of paths
constexpr std::size_t kOpsOfDevice = 150;  // fewer in a band would not balance well
constexpr AnnealOptions kFromBalance = {.temperature = 0.02, .final_temperature = 0.0005};
constexpr AnnealOptions kCold = {.temperature = 0.1, .final_temperature = 0.00002};

class Automatic {
 public:
  explicit Automatic(Search& search) : search_(search), problem_(search.problem()) {}

  void run() {
    answer_at_once();
    if (search_.spent()) return;
    find_bounds();
    if (search_.spent()) return;
    try_lists();
    if (!search_.spent()) pack_memory();
    if (search_.spent() || try_all()) return;
    if (!problem_.goal().is_step()) return search_other_goal();
    if (prove()) return;
    if (search_.searches_orders()) {
      if (!meet_bound()) improve(1, {});
      return;
    }
    if (problem_.groups().size() <= kManyGroups) {
      if (!search_.best_score().fits()) crowd();
      // It begins where HEFT ends, not at the best.
      if (!search_.spent()) run_share(is_tight_ ? kTightWindowShare : kWindowShare, "lns");
    } else if (is_near_bound()) {
      const Stage stage = begin("windows, as the bound is near");
      Search part = search_.part(kWindowShare);
      search_windows(part, {*part.best(), {}});
    } else if (is_wide() && balance()) {
      if (!search_.spent()) improve(1, kFromBalance);
    } else if (!search_.spent()) {
      search_merged();
    }
    if (!search_.spent()) finish();
  }

 private:
  /// Tells at its end what the stage has cost and gained.
  Stage begin(std::string_view name) const { return Stage(search_, "auto", name); }

  void answer_at_once() {
    const Stage stage = begin("HEFT and single devices");
    const ListSchedule heft = heft_schedule(problem_, {});
    const std::optional<Score> score = search_.evaluate(heft.placement(), heft.order());
    is_tight_ = score && !score->fits();
    if (!search_.spent()) try_single_devices(search_);
  }

  void find_bounds() {
    bounds_ = lower_bounds(problem_, search_.observer());
    if (bounds_.infeasible.empty()) search_.know_bound(bounds_.best_ps());
    search_.observer().tell(EventLevel::kInfo, "auto", [&] {
      return fmt::format("lower bound: {:.6g} s ({}){}", to_seconds(bounds_.best_ps()),
                         best_bound(bounds_).name,
                         is_tight_ ? "; memory rules out what HEFT proposes" : "");
    });
  }

  void try_lists() {
    const std::vector<ListRule> rules = quick_rules(problem_);
    const Stage stage =
        begin(rules.size() < portfolio_rules().size() ? "list schedules, but for the slow ones"
                                                      : "list schedules");
    Search part = search_.part(kListShare);
    part.evaluate_all(contiguous_fills(problem_));
    ListScheduler lists(problem_);
    for (const ListRule& rule : rules) {
      if (part.spent()) break;
      const ListSchedule schedule = lists.run(rule);
      part.evaluate(schedule.placement(), schedule.order());
    }
    if (part.spent() && part.evaluations_left() > 0) try_variants(lists);
  }

  /// HEFT's, where the clock ended the lists before them: what follows seldom makes up for that.
  void try_variants(ListScheduler& lists) {
    for (const ListRule::Group group : {ListRule::Group::kWhole, ListRule::Group::kPromises}) {
      if (search_.spent() || search_.progress() > kLatestVariant) return;
      const ListSchedule schedule = lists.run({.group = group});
      search_.evaluate(schedule.placement(), schedule.order());
    }
  }

  void pack_memory() {
    const std::vector<Placement> packings = memory_packings(problem_);
    if (packings.empty()) return;
    const Stage stage = begin("memories packed by prices");
    try_memory_packings(search_, packings);
  }

  /// Where there are few placements. True when the best is proven.
  bool try_all() {
    const double count = placement_count(problem_);
    const auto ops = static_cast<double>(problem_.op_count());
    const auto most = static_cast<double>(search_.evaluations_left()) * kAllShare;
    if (search_.searches_orders() || count > most || count * ops > kMostOpsInAll) return false;
    const Stage stage = begin("all placements");
    Search part = search_.part(kAllShare);
    const Optimizer& exhaustive = find_optimizer("exhaustive");
    exhaustive.run(checked_options(exhaustive.options, {}), part);
    return !part.spent();
  }

  /// Where the score is not a step time alone, which is what the other stages look at.
  void search_other_goal() {
    {
      const Stage stage = begin("pipelines");
      if (search_intervals(search_)) return;
    }
    if (!search_.spent()) run_share(kOtherLevelShare, "multilevel");
    if (!search_.spent()) improve(1, kCold);
  }

  bool prove() {
    const bool tiny = search_.searches_orders() ? ScheduleModel::is_small(problem_)
                                                : placement_count(problem_) <= kMostPlacements;
    if (!tiny) return false;
    const Stage stage = begin("exact search");
    Search part = search_.part(kExactShare);
    const auto thousands = static_cast<std::int64_t>(problem_.op_count() / 1'000);
    const NodeBudget nodes(kNodes / std::max<std::int64_t>(1, thousands));
    return branch_and_bound(part, nodes) == ExactEnd::kProven;
  }

  /// More work than devices can do at once, most of the time.
  bool is_wide() const {
    const Picoseconds path_ps = std::max(bounds_.device_path_ps, bounds_.fork_join_ps);
    return !is_tight_ && problem_.op_count() >= kOpsOfDevice * problem_.device_count() &&
           static_cast<double>(bounds_.load_ps) >= kWide * static_cast<double>(path_ps);
  }

  /// True where that gave the best so far.
  bool balance() {
    const Stage stage = begin("balanced stages");
    const Score before = search_.best_score();
    Search part = search_.part(kBalanceShare);
    try_balanced_stages(part);
    return search_.best_score() < before;
  }

  /// All layers of a model alike; and what does not fit in memory, made to fit.
  void search_layers() {
    const Stage stage = begin("layers placed alike");
    Search part = search_.part(kLayerShare);
    place_layers_alike(part);
  }

  void search_merged() {
    const Score before = search_.best_score();
    search_layers();
    if (search_.spent() || search_.best_score() < before) return;  // to improve that
    if (const std::optional<Problem> tied = tie_repeats(problem_)) {
      const Stage stage = begin("levels of tied layers");
      Search part = search_.part(kTiedShare, *tied);
      search_levels(part, coarse(*tied, kCoarsest), {});
    }
    if (!search_.spent()) search_all_levels();
  }

  /// Where there is time for it more than once, as the first levels decide where it ends.
  void search_all_levels() {
    const Stage stage = begin("levels from few groups to all");
    Search all = search_.part(kLevelShare);
    const std::size_t starts =
        std::clamp<std::size_t>(kGroupsInStarts / problem_.groups().size(), 1, kMostStarts);
    for (std::size_t start = 0; start < starts && !all.spent(); ++start) {
      Search part = all.part(1 / static_cast<double>(starts - start));
      search_levels(part, coarse(problem_, kCoarsest + start * kCoarsest / 2), {});
    }
  }

  /// Where ops have no slack left in a step as short as the bound, the others' windows are tried.
  bool meet_bound() {
    const MemoryFit fit(problem_);
    const auto windows = windows_to_meet(search_, fit, bounds_.best_ps());
    if (!windows) return false;
    if (improve(kOrderShare, {})) return true;
    if (!search_.best_score().fits()) return false;
    const Stage stage = begin("windows of a step as short as the bound");
    Search part = search_.part(kBoundShare);
    meet_windows(part, fit, *windows);
    return search_.spent();
  }

  std::vector<Problem> coarse(const Problem& problem, std::size_t coarsest) const {
    return coarse_levels(problem, coarsest, kCoarsening, nullptr, [&] { return search_.spent(); });
  }

  /// What is left to gain is in single ops; merging them would lose more.
  bool is_near_bound() const {
    const Score best = search_.best_score();
    return best.fits() &&
           static_cast<double>(best.step_ps) <= kNear * static_cast<double>(bounds_.best_ps());
  }

  /// Populations find what fits where list schedulers do not.
  void crowd() {
    run_share(kTightShare, "cross-entropy");
    const Stage stage = begin("refinement, as nothing fits yet");
    Search part = search_.part(kRefineShare);
    refine(part);
  }

  void finish() {
    if (is_tight_) {
      improve(1, kCold);
    } else {
      const Stage stage = begin("levels again and again");
      refine_levels(search_);
    }
  }

  void run_share(double share, std::string_view name) {
    const Stage stage = begin(name);
    Search part = search_.part(share);
    const Optimizer& optimizer = find_optimizer(name);
    optimizer.run(checked_options(optimizer.options, {}), part);
  }

  /// True when it is over.
  bool improve(double share, const AnnealOptions& options) {
    const Stage stage = begin("annealing");
    Search part = search_.part(share);
    anneal_from(part, *search_.best(), search_.best_order(), options);
    return search_.spent();
  }

  Search& search_;
  const Problem& problem_;
  LowerBounds bounds_;
  bool is_tight_ = false;  // memory rules out HEFT's placement
};

void run(Search& search) { Automatic(search).run(); }

}  // namespace

Optimizer automatic() {
  return make_optimizer(
      {.summary = "list schedulers, exact search of tiny problems, then annealing and large "
                  "neighbourhoods from few groups to all: what runs unless another is named",
       .unfit_for = "comparing algorithms, as it is several",
       .source = ""},
      run);
}

}  // namespace placer

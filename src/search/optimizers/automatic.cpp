// Good answers at once, by all list schedulers and at the prices of the bound; then proofs of tiny
// problems and, where orders are searched, what ends too late for a step as short as the bound. The
// rest of the budget goes to a portfolio of strategies, slice by slice, to what gains. Stops when
// the best is proven optimal.

#include <fmt/format.h>

#include <algorithm>

#include "placer/search/bounds.hpp"
#include "placer/search/optimizer.hpp"
#include "search/bounds/step_windows.hpp"
#include "search/core/events.hpp"
#include "search/core/plain_placements.hpp"
#include "search/exact/branch_and_bound.hpp"
#include "search/exact/meet_windows.hpp"
#include "search/exact/pipeline_search.hpp"
#include "search/exact/schedule_model.hpp"
#include "search/exact/stretch_proofs.hpp"
#include "search/groups/memory_fit.hpp"
#include "search/lists/rules.hpp"
#include "search/local/anneal.hpp"
#include "search/local/live_starts.hpp"
#include "search/local/memory_packing.hpp"
#include "search/local/portfolio.hpp"
#include "search/local/priced_starts.hpp"
#include "search/local/starts.hpp"
#include "search/local/strategies.hpp"
#include "search/runs/contiguous_runs.hpp"

namespace placer {
namespace {

// These are shares of what is left of the budget at that point.
constexpr double kListShare = 0.1, kLiveShare = 0.1;
constexpr double kAllShare = 0.5, kExactShareOfFew = 0.2, kExactShare = 0.1;
constexpr double kOrderShare = 0.25, kBoundShare = 0.9;
constexpr double kShopShare = 0.9, kStretchShare = 0.05;
constexpr AnnealOptions kShopAnnealing = {
    .temperature = 0.25, .final_temperature = 0.02, .cycle = 1000};

constexpr double kLatestVariant = 0.5;  // of the budget
constexpr double kMostOpsInAll = 1e7;   // ops times placements: about a second
constexpr ExactEffort kExactEffort = {.most_nodes = 1'000'000, .most_in_vain = 50'000};
constexpr ExactEffort kExactEffortOfFew = {.most_nodes = 1'000'000};
constexpr std::size_t kFewGroups = 40, kMostTreeGroups = 150;
constexpr double kWide = 2;   // times the bound of paths
constexpr double kFar = 1.5;  // times the bound
constexpr double kPipelineShare = 0.2;
constexpr std::size_t kMostDownSets = 20'000;
constexpr std::int64_t kMostPipelineNodes = 100'000'000;
constexpr std::size_t kMostShopGroups = 500;  // of more, one annealing does not get to cool

class Automatic {
 public:
  Automatic(std::string_view without, Search& search)
      : search_(search), problem_(search.problem()), without_(without) {}

  void run() {
    answer_at_once();
    if (is_tight_ && !is_huge() && !search_.spent()) use_live_lists();
    if (search_.spent()) return;
    find_bounds();
    if (search_.spent()) return;
    try_lists();
    if (!search_.spent()) use_prices();
    if (!search_.spent() && problem_.goal().is_step()) use_runs();
    if (search_.spent() || try_all()) return;
    if (problem_.goal().is_step() ? prove() : find_pipeline()) return;
    if (search_.searches_orders() && problem_.goal().is_step() && meet_bound()) return;
    if (is_shop()) anneal("annealing of a shop", kShopShare, kShopAnnealing);
    if (!search_.spent()) search_by_strategies();
  }

 private:
  /// Tells at its end what the stage has cost and gained.
  Stage begin(std::string_view name) const { return Stage(search_, "auto", name); }

  void answer_at_once() {
    const Stage stage = begin("HEFT and single devices");
    // HEFT takes seconds there.
    if (is_huge()) try_what_may_fit();
    if (search_.spent()) return;
    const ListSchedule heft = heft_schedule(problem_, {});
    const std::optional<Score> score = search_.evaluate(heft.placement(), heft.order());
    is_tight_ = score && !score->fits();
    if (!search_.spent() && !is_huge()) try_single_devices(search_);
  }

  bool is_huge() const {
    return problem_.op_count() * problem_.device_count() > kMostPairsOfLiveLists;
  }

  void try_what_may_fit() {
    try_single_devices(search_);
    if (!search_.spent() && !search_.best_score().fits()) try_dealt_groups(search_);
  }

  void find_bounds() {
    bounds_ = lower_bounds(search_);
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
    Team team(SideBySide(search_).threads());
    std::vector<std::unique_ptr<ListScheduler>> lists(team.size());  // by thread
    for (std::size_t first = 0; first < rules.size() && !part.spent(); first += team.size()) {
      const std::size_t count = std::min(team.size(), rules.size() - first);
      std::vector<Placement> placements(count);
      std::vector<OpOrder> orders(count);
      team.each(count, [&](std::size_t index, std::size_t thread) {
        if (!lists[thread]) lists[thread] = std::make_unique<ListScheduler>(problem_);
        const ListSchedule schedule = lists[thread]->run(rules[first + index]);
        placements[index] = schedule.placement();
        orders[index] = schedule.order();
      });
      // One by one, so that a proof ends them at the same one for any number of threads.
      for (std::size_t i = 0; i < count && !part.spent(); ++i)
        part.evaluate(placements[i], orders[i]);
    }
    if (part.spent() && part.evaluations_left() > 0) try_variants();
  }

  /// HEFT's, where the clock ended the lists before them: what follows seldom makes up for that.
  void try_variants() {
    ListScheduler lists(problem_);
    for (const ListRule::Group group : {ListRule::Group::kWhole, ListRule::Group::kPromises}) {
      if (search_.spent() || search_.progress() > kLatestVariant) return;
      const ListSchedule schedule = lists.run({.group = group});
      search_.evaluate(schedule.placement(), schedule.order());
    }
  }

  void use_live_lists() {
    const Stage stage = begin("lists that know what is held when");
    try_live_lists(search_, kLiveShare);
    if (!search_.spent() && !search_.best_score().fits()) try_dealt_groups(search_);
  }

  void use_prices() {
    const Stage stage = begin("lists and packings at the bound's prices");
    try_priced_starts(search_, is_tight_, is_busy());
  }

  void use_runs() {
    if (is_huge() || (!is_tight_ && memory_is_ample(problem_))) return;
    const Stage stage = begin("a run of groups for each device");
    const std::vector<Placement> runs = contiguous_runs(problem_);
    if (!runs.empty()) try_memory_packings(search_, runs);
  }

  /// Where there are few placements. True when the best is proven.
  bool try_all() {
    const double count = placement_count(problem_);
    const auto ops = static_cast<double>(problem_.op_count());
    // Of a step few nodes of branch and bound prove more.
    const double share = problem_.goal().is_step() ? kAllShare : 1;
    const auto most = static_cast<double>(search_.evaluations_left()) * share;
    if (search_.searches_orders() || count > most || count * ops > kMostOpsInAll) return false;
    const Stage stage = begin("all placements");
    Search part = search_.part(share);
    const Optimizer& exhaustive = find_optimizer("exhaustive");
    exhaustive.run(checked_options(exhaustive.options, {}), part);
    return !part.spent();
  }

  /// True when it is proven.
  bool find_pipeline() {
    const Stage stage = begin("pipelines");
    Search part = search_.part(kPipelineShare);
    return search_down_sets(part, kMostDownSets, kMostPipelineNodes).is_proven || search_.spent();
  }

  void sharpen_bounds() {
    const Stage stage = begin("stretches of the longest path");
    bounds_ = bounds_by_stretches(search_, kStretchShare, bounds_);
  }

  bool prove() {
    sharpen_bounds();
    if (search_.spent()) return true;
    const std::size_t groups = problem_.groups().size();
    const bool has_orders = search_.searches_orders();
    if (groups > kMostTreeGroups && !(has_orders && ScheduleModel::is_small(problem_))) {
      return false;
    }
    const Stage stage = begin("exact search");
    const bool is_few = groups <= kFewGroups;
    Search part = search_.part(is_few && !has_orders ? kExactShareOfFew : kExactShare);
    return branch_and_bound(part, is_few ? kExactEffortOfFew : kExactEffort) == ExactEnd::kProven;
  }

  /// More work than devices can do at once, most of the time.
  bool is_busy() const {
    const Picoseconds path_ps = std::max(bounds_.device_path_ps, bounds_.fork_join_ps);
    return static_cast<double>(bounds_.load_ps) >= kWide * static_cast<double>(path_ps);
  }

  /// Ops wait for others and for devices, never for a tensor on its way. Then the changes of an
  /// annealing are estimated exactly, and what counts is how slowly it cools.
  bool is_shop() const {
    return search_.searches_orders() && problem_.goal().is_step() &&
           problem_.groups().size() <= kMostShopGroups &&
           std::ranges::all_of(problem_.graph().tensors(),
                               [](const Tensor& tensor) { return tensor.bytes == 0; });
  }

  void anneal(std::string_view name, double share, const AnnealOptions& options) {
    const Stage stage = begin(name);
    Search part = search_.part(share);
    anneal_from(part, *search_.best(), search_.best_order(), options);
  }

  /// Where ops have no slack left in a step as short as the bound, the others' windows are tried.
  bool meet_bound() {
    const MemoryFit fit(problem_);
    const auto windows = windows_to_meet(search_, fit, bounds_.best_ps());
    if (!windows) return false;
    anneal("annealing", kOrderShare, {});
    if (search_.spent()) return true;
    if (!search_.best_score().fits()) return false;
    const Stage stage = begin("windows of a step as short as the bound");
    Search part = search_.part(kBoundShare);
    meet_windows(part, fit, *windows);
    return search_.spent();
  }

  void search_by_strategies() {
    const Situation situation = {
        .is_step = problem_.goal().is_step(),
        .searches_orders = search_.searches_orders(),
        .is_tight = is_tight_,
        .is_far = !is_huge() && static_cast<double>(search_.best_score().step_ps) >
                                    kFar * static_cast<double>(bounds_.best_ps()),
        .groups = problem_.groups().size(),
    };
    Portfolio(search_, "auto", strategies_for(situation, without_)).run();
  }

  Search& search_;
  const Problem& problem_;
  const std::string_view without_;
  LowerBounds bounds_;
  bool is_tight_ = false;  // memory rules out HEFT's placement
};

struct Options {
  std::size_t without = 0;  // of the names of strategies, from 1
};

constexpr std::string_view kNothing = "nothing";

/// "nothing" and then the strategies.
std::span<const std::string_view> names_to_leave_out() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all = {kNothing};
    all.insert(all.end(), strategy_names().begin(), strategy_names().end());
    return all;
  }();
  return names;
}

const std::array<OptionRow<Options>, 1> kRows = {{
    {"without",
     ChoiceMember<Options>{names_to_leave_out(),
                           [](const Options& options) { return options.without; },
                           [](Options& options, std::size_t at) { options.without = at; }},
     Flag{}, "a strategy to leave out, to see what it gains; 'placer algorithms auto' lists them"},
}};
static_assert(kRows.size() == member_count<Options>);

void run(const Options& options, Search& search) {
  Automatic(names_to_leave_out()[options.without], search).run();
}

}  // namespace

Optimizer automatic() {
  return make_optimizer(
      {.summary =
           "list schedulers, exact search of tiny problems, then a portfolio of searches whose "
           "slices go to what gains: what runs unless another is named",
       .unfit_for = "comparing algorithms, as it is several",
       .source = "",
       .in_slices = true},
      kRows, run);
}

}  // namespace placer

// What to run when nothing speaks for another algorithm: all list schedulers, then annealing level
// by level, then on the problem's own groups. Stops at a proven optimum. Unfit for comparing
// algorithms, since it is several.

#include <algorithm>

#include "placer/search/bounds.hpp"
#include "placer/search/optimizer.hpp"
#include "search/anneal.hpp"
#include "search/levels.hpp"
#include "search/list_rules.hpp"
#include "search/multilevel.hpp"
#include "search/starts.hpp"

namespace placer {
namespace {

constexpr double kListShare = 0.1;

struct Options {
  double list_share = kListShare;
  double level_share = 0.5;
  double temperature = 0.1;
  std::int64_t coarsest = 40;
  double finest_share = 0.3;
};
constexpr std::array kRows = {
    option("list-share", &Options::list_share, 0, 1, "x"),
    option("level-share", &Options::level_share, 0, 1, "x"),
    option("temperature", &Options::temperature, 0, 10, "x"),
    option("coarsest", &Options::coarsest, 1, 10000, "x"),
    option("finest-share", &Options::finest_share, 0, 1, "x"),
};
static_assert(kRows.size() == member_count<Options>);

void run(const Options& o, Search& search) {
  try_single_devices(search);
  if (search.spent()) return;
  {
    Search part = search.part(o.list_share);
    ListScheduler lists(search.problem());
    for (const ListRule& rule : portfolio_rules()) {
      if (part.spent()) break;
      const ListSchedule schedule = lists.run(rule);
      part.evaluate(schedule.placement(), schedule.order());
    }
  }
  if (search.spent()) return;
  const LowerBounds bounds = lower_bounds(search.problem());
  const auto proven = [&] {
    return search.best_score().fits() && search.best_score().step_ps <= bounds.best_ps();
  };
  if (proven()) return;
  const std::vector<Problem> levels =
      coarse_levels(search.problem(), std::size_t(o.coarsest), 3, nullptr, [&] { return search.spent(); });
  if (!levels.empty()) {
    Search part = search.part(o.level_share);
    search_levels(part, levels, std::nullopt, {.finest_share = o.finest_share});
  }
  if (search.spent() || proven()) return;
  Search part = search.part(1.0);
  anneal_from(part, *search.best(), search.best_order(), {.temperature = o.temperature});
}

}  // namespace

Optimizer automatic() {
  return make_optimizer({.summary = "list schedulers, then annealing from few groups to all",
                         .unfit_for = "comparing algorithms, as it is several",
                         .source = ""},
                        kRows, run);
}

}  // namespace placer

// Budgets of a few dozen evaluations are spent before the finer groups. "A Fast and High Quality
// Multilevel Scheme for Partitioning Irregular Graphs", SIAM J. Sci. Comput. 20(1).

#include "search/local/multilevel.hpp"

#include "placer/search/optimizer.hpp"
#include "search/groups/levels.hpp"

namespace placer {
namespace {

constexpr std::array<OptionRow<MultilevelOptions>, 3> kRows = {
    option<MultilevelOptions>("coarsest", &MultilevelOptions::coarsest, 1, 100'000,
                              "groups of the first level"),
    option<MultilevelOptions>("factor", &MultilevelOptions::factor, 1.5, 100,
                              "how many times more groups each further level has"),
    option<MultilevelOptions>("finest-share", &MultilevelOptions::finest_share, 0, 1,
                              "share of the budget for the problem's own groups"),
};
static_assert(kRows.size() == member_count<MultilevelOptions>);

void run(const MultilevelOptions& options, Search& search) {
  const std::vector<Problem> levels =
      coarse_levels(search.problem(), static_cast<std::size_t>(options.coarsest), options.factor,
                    search.start(), [&] { return search.spent(); });
  search_levels(search, levels, options);
}

}  // namespace

Optimizer multilevel() {
  return make_optimizer({.summary = "searches a few dozen merged groups, then ever finer ones",
                         .unfit_for = "best placements that cut what merging joins first",
                         .source = "Karypis, Kumar 1998"},
                        kRows, run);
}

}  // namespace placer

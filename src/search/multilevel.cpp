#include "search/multilevel.hpp"

#include "search/levels.hpp"
#include "search/refine.hpp"
#include "search/starts.hpp"

namespace placer {

void search_levels(Search& search, const MultilevelOptions& options) {
  const std::vector<Problem> levels =
      coarse_levels(search.problem(), static_cast<std::size_t>(options.coarsest), options.factor,
                    search.start(), [&] { return search.spent(); });
  const double share = (1 - options.finest_share) / static_cast<double>(levels.size());
  double left = 1;
  for (std::size_t at = levels.size(); at-- > 0;) {
    Search part = search.part(share / left, levels[at]);
    if (at + 1 == levels.size()) {
      try_single_devices(part);
      part.evaluate(list_scheduled_placement(levels[at]));
    }
    refine(part);
    left -= share;
  }
  refine(search);
}

}  // namespace placer

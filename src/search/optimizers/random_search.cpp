#include "placer/search/optimizer.hpp"
#include "search/core/plain_placements.hpp"

namespace placer {
namespace {

void run(Search& search) {
  constexpr std::size_t kAtOnce = 64;
  std::vector<Placement> placements(kAtOnce);
  do {
    for (Placement& placement : placements) {
      if (search.spent()) return;
      placement = random_placement(search.problem(), search.rng());
    }
  } while (search.evaluate_all(placements).size() == kAtOnce);
}

}  // namespace

Optimizer random_search() {
  return make_optimizer({.summary = "each group on one of its allowed devices, drawn uniformly",
                         .unfit_for = "anything but measuring what others have learnt",
                         .source = "",
                         .anytime = true,
                         .in_batches = true},
                        run);
}

}  // namespace placer

#include "search/learned/marginal_start.hpp"

#include "search/core/plain_placements.hpp"
#include "search/local/starts.hpp"

namespace placer {

Marginals first_marginals(Search& search, MarginalInit init) {
  constexpr double kLean = 0.5;
  Marginals marginals(search.problem());
  begin_with_single_devices(search);
  if (search.start() != nullptr) {
    marginals.lean_towards(*search.start(), kLean);
  } else if (init == MarginalInit::kHeuristic) {
    const Placement heuristic = list_scheduled_placement(search.problem());
    search.evaluate(heuristic);
    marginals.lean_towards(heuristic, kLean);
  }
  return marginals;
}

}  // namespace placer

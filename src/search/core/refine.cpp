#include "search/core/refine.hpp"

#include "search/core/group_changes.hpp"

namespace placer {

bool refine(Search& search) {
  if (search.best() == nullptr) return false;
  const Neighbours neighbours(search.problem());
  std::optional<Walk> walk = search.walk(*search.best(), search.best_order());
  Change change;
  const std::size_t patience = 40 * search.problem().groups().size();
  for (std::size_t tries = 0; walk && tries < patience; ++tries) {
    draw_adoption(search.problem(), neighbours, walk->placement(), search.rng(), change);
    if (change.empty()) continue;
    const std::optional<Score> score = walk->propose(change.moves);
    if (!score) return false;
    if (*score < walk->score()) tries = 0;
    if (*score <= walk->score()) walk->accept();
  }
  return walk.has_value();
}

}  // namespace placer

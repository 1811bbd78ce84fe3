#include "search/refine.hpp"

#include <array>

#include "search/neighbours.hpp"

namespace placer {

void refine(Search& search) {
  if (search.best() == nullptr) return;
  const Groups& groups = search.problem().groups();
  const Neighbours neighbours(search.problem());
  std::optional<Walk> walk = search.walk(*search.best());
  const std::size_t patience = 20 * groups.size();
  for (std::size_t tries = 0; walk && tries < patience; ++tries) {
    const GroupId group(search.rng().below(groups.size()));
    if (neighbours.of(group).empty()) continue;
    const DeviceId device = walk->placement()[search.rng().pick(neighbours.of(group))];
    if (device == walk->placement()[group] || !groups.is_allowed(group, device)) continue;
    const std::array<Move, 1> move = {Move{group, device}};
    const std::optional<Score> score = walk->propose(move);
    if (!score) return;
    if (*score > walk->score()) continue;
    if (*score < walk->score()) tries = 0;
    walk->accept();
  }
}

}  // namespace placer

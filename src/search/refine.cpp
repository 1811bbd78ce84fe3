#include "search/refine.hpp"

#include <vector>

#include "search/neighbours.hpp"

namespace placer {
namespace {

// Measured on Inception-V3 with 4 GPUs: with both, Post's placements end 3 % better than with
// adopting moves of single groups alone.
constexpr double kAnyDevice = 0.3;
constexpr double kTakeNeighbour = 0.5;

/// A random group adopts the device of a neighbour, or any device; perhaps a neighbour that stood
/// with it comes along. Empty where that changes nothing.
std::vector<Move> draw_move(const Problem& problem, const Neighbours& neighbours,
                            const Placement& placement, Rng& rng) {
  const Groups& groups = problem.groups();
  const GroupId group(rng.below(groups.size()));
  const std::span<const GroupId> around = neighbours.of(group);
  const DeviceId device = around.empty() || rng.chance(kAnyDevice) ? rng.pick(groups.allowed(group))
                                                                   : placement[rng.pick(around)];
  if (device == placement[group] || !groups.is_allowed(group, device)) return {};
  std::vector<Move> moves = {{group, device}};
  if (!around.empty() && rng.chance(kTakeNeighbour)) {
    const GroupId other = rng.pick(around);
    if (placement[other] == placement[group] && groups.is_allowed(other, device)) {
      moves.push_back({other, device});
    }
  }
  return moves;
}

}  // namespace

void refine(Search& search) {
  if (search.best() == nullptr) return;
  const Neighbours neighbours(search.problem());
  std::optional<Walk> walk = search.walk(*search.best(), search.best_order());
  const std::size_t patience = 40 * search.problem().groups().size();
  for (std::size_t tries = 0; walk && tries < patience; ++tries) {
    const std::vector<Move> moves =
        draw_move(search.problem(), neighbours, walk->placement(), search.rng());
    if (moves.empty()) continue;
    const std::optional<Score> score = walk->propose(moves);
    if (!score) return;
    if (*score < walk->score()) tries = 0;
    if (*score <= walk->score()) walk->accept();
  }
}

}  // namespace placer

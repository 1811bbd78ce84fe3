#include "support/exhaustive.hpp"

#include <optional>

#include "support/referee.hpp"

namespace placer::testing {
namespace {

void try_all(const Problem& problem, Order order, Placement& placement, std::optional<Best>& best) {
  const GroupId next(placement.devices.size());
  if (next.index() == problem.groups().size()) {
    const Score score = referee_schedule(problem, order, placement).score;
    if (!best || score < best->score) best = {placement, score};
    return;
  }
  for (const DeviceId device : problem.groups().allowed(next)) {
    placement.devices.push_back(device);
    try_all(problem, order, placement, best);
    placement.devices.pop_back();
  }
}

}  // namespace

Best exhaustive_best(const Problem& problem, Order order) {
  Placement placement;
  std::optional<Best> best;
  try_all(problem, order, placement, best);
  return *best;
}

}  // namespace placer::testing

#include "cli/shared/baselines.hpp"

#include <algorithm>

namespace placer {

std::vector<SingleDevice> single_devices(const Problem& problem, Order order) {
  std::vector<SingleDevice> rows;
  Simulator simulator(problem, order);
  for (const DeviceId device : IdRange<DeviceId>(problem.device_count())) {
    const std::optional<Placement> placement = problem.all_on(device);
    if (placement) rows.push_back({device, simulator.evaluate(*placement)});
  }
  return rows;
}

std::optional<SingleDevice> best_single_device(const Problem& problem, Order order) {
  std::optional<SingleDevice> best;
  for (const SingleDevice& row : single_devices(problem, order)) {
    if (row.score.fits() && (!best || row.score < best->score)) best = row;
  }
  return best;
}

}  // namespace placer

#include "cli/shared/baselines.hpp"

#include <algorithm>

namespace placer {

std::vector<SingleDevice> single_devices(const Problem& problem, Order order) {
  std::vector<SingleDevice> rows;
  Simulator simulator(problem, order);
  for (const DeviceId device : IdRange<DeviceId>(problem.device_count())) {
    const DeviceId alike = problem.first_identical(device);
    const auto known = std::ranges::find(rows, alike, &SingleDevice::device);
    if (known != rows.end()) {
      rows.push_back({device, known->score});
    } else if (const std::optional<Placement> placement = problem.all_on(device)) {
      rows.push_back({device, simulator.evaluate(*placement)});
    }
  }
  return rows;
}

std::optional<SingleDevice> best_single_device(const Problem& problem, Order order) {
  const std::vector<SingleDevice> rows = single_devices(problem, order);
  std::optional<SingleDevice> best;
  for (const SingleDevice& row : rows) {
    if (row.score.fits() && (!best || row.score < best->score)) best = row;
  }
  if (!best) return best;
  best->beats_by_memory = std::ranges::any_of(rows, [&](const SingleDevice& row) {
    return !row.score.fits() && row.score.step_ps < best->score.step_ps;
  });
  return best;
}

}  // namespace placer

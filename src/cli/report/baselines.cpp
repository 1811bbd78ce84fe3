#include "cli/report/baselines.hpp"

#include <algorithm>
#include <map>

namespace placer {

std::vector<SingleDevice> single_devices(const Problem& problem, Order order) {
  std::vector<SingleDevice> rows;
  Simulator simulator(problem, order);
  std::map<std::size_t, Score> known;  // without links, devices of a kind are all the same
  for (const DeviceId device : IdRange<DeviceId>(problem.device_count())) {
    const std::optional<Placement> placement = problem.all_on(device);
    if (!placement) continue;
    const auto [at, is_new] = known.emplace(problem.costs().kind(device), Score());
    if (is_new) at->second = simulator.evaluate(*placement);
    rows.push_back({device, at->second});
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

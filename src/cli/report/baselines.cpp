#include "cli/report/baselines.hpp"

#include <algorithm>

#include "cli/report/kinds.hpp"

namespace placer {

std::vector<SingleDevice> single_devices(const Problem& problem,
                                         const std::function<Score(const Placement&)>& score_of) {
  std::vector<SingleDevice> rows;
  const auto scores = values_by_kind(problem, [&](DeviceId device) -> std::optional<Score> {
    const std::optional<Placement> placement = problem.all_on(device);
    if (!placement) return std::nullopt;
    return score_of(*placement);
  });
  for (const DeviceId device : IdRange<DeviceId>(problem.device_count())) {
    if (scores[device.index()]) rows.push_back({device, *scores[device.index()]});
  }
  return rows;
}

std::vector<SingleDevice> single_devices(Simulator& simulator) {
  return single_devices(simulator.problem(),
                        [&](const Placement& placement) { return simulator.evaluate(placement); });
}

std::optional<SingleDevice> best_that_fits(const std::vector<SingleDevice>& rows) {
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

std::optional<SingleDevice> best_single_device(const Problem& problem, Order order) {
  Simulator simulator(problem, order);
  return best_that_fits(single_devices(simulator));
}

}  // namespace placer

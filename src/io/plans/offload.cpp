#include <algorithm>

#include "io/plans/target.hpp"
#include "placer/sim/simulator.hpp"

namespace placer {

std::optional<OffloadNeed> offload_need(const PlanTarget& target, const Problem& problem,
                                        const Placement& placement) {
  const Topology& devices = problem.topology();
  const std::vector<DeviceId> others = accelerators(devices);
  if (target.cpus != PlanTarget::Cpus::kOffload || others.empty()) return std::nullopt;
  const ModelUnits units = units_for(target, problem.graph());
  std::vector<std::int64_t> weights(units.units.size(), 0);  // by unit, of those on CPUs
  std::int64_t all_weights = 0;
  for (const OpId op : IdRange<OpId>(problem.op_count())) {
    if (!is_cpu(devices.device(placement[problem.groups().of(op)]))) continue;
    weights[units.of[op.index()]] += problem.graph().op(op).params_bytes;
    all_weights += problem.graph().op(op).params_bytes;
  }
  if (all_weights == 0) return std::nullopt;
  Schedule schedule;
  Simulator(problem, Order::kFifo).evaluate(placement, nullptr, &schedule);
  const DeviceId worker = others.front();
  OffloadNeed need{worker, std::ranges::max(weights) - all_weights,
                   devices.device(worker).memory_bytes - schedule.peak_bytes[worker.index()]};
  for (const DeviceId device : IdRange<DeviceId>(problem.device_count())) {
    if (is_cpu(devices.device(device))) need.needed_bytes += schedule.peak_bytes[device.index()];
  }
  return need;
}

}  // namespace placer

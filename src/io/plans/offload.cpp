#include <algorithm>

#include "io/plans/target.hpp"
#include "placer/sim/simulator.hpp"

namespace placer {
namespace {

Schedule schedule_of(const Problem& problem, const Placement& placement) {
  Schedule schedule;
  Simulator(problem, Order::kFifo).evaluate(placement, nullptr, &schedule);
  return schedule;
}

/// Empty where no weights are on CPUs.
std::optional<std::int64_t> needed_bytes(const PlanTarget& target, const Problem& problem,
                                         const Placement& placement, const Schedule& schedule) {
  const ModelUnits units = units_for(target, problem.graph());
  const Topology& devices = problem.topology();
  std::vector<std::int64_t> weights(units.units.size(), 0);  // by unit, of those on CPUs
  std::int64_t needed = 0;
  for (const OpId op : IdRange<OpId>(problem.op_count())) {
    if (!is_cpu(devices.device(placement[problem.groups().of(op)]))) continue;
    weights[units.of[op.index()]] += problem.graph().op(op).params_bytes;
    needed -= problem.graph().op(op).params_bytes;
  }
  if (needed == 0) return std::nullopt;
  for (const DeviceId device : IdRange<DeviceId>(problem.device_count())) {
    if (is_cpu(devices.device(device))) needed += schedule.peak_bytes[device.index()];
  }
  return needed + std::ranges::max(weights);
}

}  // namespace

std::optional<OffloadNeed> offload_need(const PlanTarget& target, const Problem& problem,
                                        const Placement& placement) {
  const std::vector<DeviceId> others = accelerators(problem.topology());
  if (target.cpus != PlanTarget::Cpus::kOffload || others.empty()) return std::nullopt;
  const Schedule schedule = schedule_of(problem, placement);
  const auto needed = needed_bytes(target, problem, placement, schedule);
  if (!needed) return std::nullopt;
  const DeviceId worker = others.front();
  const std::int64_t left =
      problem.topology().device(worker).memory_bytes - schedule.peak_bytes[worker.index()];
  return OffloadNeed{worker, *needed, left};
}

std::int64_t most_offload_bytes(const PlanTarget& target, const Problem& problem,
                                Placement placement) {
  for (const GroupId group : IdRange<GroupId>(problem.groups().size())) {
    const auto& allowed = problem.groups().allowed(group);
    const auto cpu = std::ranges::find_if(
        allowed, [&](DeviceId device) { return is_cpu(problem.topology().device(device)); });
    if (cpu != allowed.end()) placement[group] = *cpu;
  }
  return needed_bytes(target, problem, placement, schedule_of(problem, placement)).value_or(0);
}

}  // namespace placer

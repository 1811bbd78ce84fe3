#include "model/pipelines/replica_teams.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "placer/base/errors.hpp"
#include "placer/base/text.hpp"

namespace placer {
namespace {

std::vector<char> used_devices(const Problem& problem, const Placement& placement) {
  std::vector<char> is_used(problem.device_count(), 0);
  for (const DeviceId device : placement.devices) is_used[device.index()] = 1;
  return is_used;
}

void check_groups(const Problem& problem, const Placement& placement, DeviceId device,
                  DeviceId replica) {
  for (const GroupId group : IdRange<GroupId>(problem.groups().size())) {
    if (placement[group] != device || problem.groups().is_allowed(group, replica)) continue;
    throw Error(
        fmt::format("replicas: expected devices that may have all ops of {}, found {}, "
                    "which may not have '{}'",
                    shown_name(problem.topology().device(device).name),
                    shown_name(problem.topology().device(replica).name),
                    shown_name(problem.graph().op(problem.groups().ops(group).front()).name)));
  }
}

}  // namespace

ReplicaTeams::ReplicaTeams(const Problem& problem, const Placement& placement,
                           const MicroBatches& batches) {
  const std::vector<char> has_ops = used_devices(problem, placement);
  std::vector<char> is_used = has_ops;
  for (const DeviceId device : IdRange<DeviceId>(problem.device_count())) {
    std::vector<DeviceId>& team = teams_.emplace_back(1, device);
    if (device.index() >= batches.replicas.size()) continue;
    if (!batches.replicas[device.index()].empty() && has_ops[device.index()] == 0) {
      throw Error(
          fmt::format("replicas: expected those of a device with ops, found {}, which has "
                      "none",
                      problem.topology().device(device).name));
    }
    for (const DeviceId replica : batches.replicas[device.index()]) {
      if (std::exchange(is_used[replica.index()], 1) != 0) {
        throw Error(fmt::format("replicas: expected devices that have nothing else to do, found {}",
                                problem.topology().device(replica).name));
      }
      check_groups(problem, placement, device, replica);
      team.push_back(replica);
    }
    if (team.size() > static_cast<std::size_t>(batches.count)) {
      throw Error(
          fmt::format("micro-batches: expected one for each of the {} devices that share "
                      "the stage of {}, found {}",
                      team.size(), problem.topology().device(device).name, batches.count));
    }
  }
}

void add_ring(const Topology& topology, const std::vector<DeviceId>& team, double seconds,
              UnrolledStep& step) {
  std::vector<OpId> ring;
  for (const DeviceId device : team) {
    const std::string& name = topology.device(device).name;
    ring.emplace_back(step.ops.size());
    step.ops.push_back({.name = "reduce/" + name,
                        .type = "all_reduce",
                        .seconds = {{name, seconds}},
                        .devices = {name},
                        .backward = true});
    step.group_of.emplace_back(step.placement.devices.size());
    step.placement.devices.push_back(device);
  }
  for (std::size_t i = 0; i < team.size(); ++i) {
    std::vector<OpId>& sequence = step.sequences[team[i].index()];
    step.tensors.push_back({.name = "reduce", .producer = sequence.back(), .consumers = ring});
    sequence.push_back(ring[i]);
  }
}

double ring_seconds(const Topology& topology, std::span<const DeviceId> ring, std::int64_t bytes) {
  if (bytes == 0 || ring.size() < 2) return 0;
  const auto count = static_cast<double>(ring.size());
  double slowest = 0;
  for (std::size_t i = 0; i < ring.size(); ++i) {
    const DeviceId from = ring[i], to = ring[(i + 1) % ring.size()];
    if (!topology.joins(from, to)) {
      throw Error(fmt::format("replicas: expected a link from {} to {}, which sum gradients",
                              topology.device(from).name, topology.device(to).name));
    }
    const LinkSpeed& speed = topology.speeds()[topology.speed_class(from, to)];
    slowest = std::max(slowest, speed.seconds(static_cast<double>(bytes) / count));
  }
  return 2 * (count - 1) * slowest;
}

}  // namespace placer

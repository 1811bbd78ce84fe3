#include "placer/model/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <span>

#include "placer/base/errors.hpp"
#include "placer/base/text.hpp"

namespace placer {
namespace {

/// Of devices that no link tells apart the first two.
std::vector<DeviceId> enough_for_links(const Topology& topology,
                                       std::span<const DeviceId> devices) {
  std::vector<int> met(topology.link_table().ends, 0);
  std::vector<DeviceId> enough;
  for (const DeviceId device : devices) {
    if (++met[topology.link_table().end_of[device.index()]] <= 2) enough.push_back(device);
  }
  return enough;
}

void require_route(const Topology& topology, DeviceId from, DeviceId to, const Tensor& tensor,
                   const Graph& graph) {
  if (from == to || topology.joins(from, to)) return;
  throw Error(fmt::format(
      "links: expected a link from '{}' to '{}', which the output of op '{}' may have to cross, "
      "found none",
      shown_name(topology.device(from).name), shown_name(topology.device(to).name),
      shown_name(graph.op(tensor.producer).name)));
}

void require_routes(const Graph& graph, const Topology& topology, const Groups& groups) {
  std::set<std::pair<std::size_t, std::size_t>> seen;  // of allowed sets
  for (const Tensor& tensor : graph.tensors()) {
    if (tensor.bytes == 0) continue;
    const GroupId producer = groups.of(tensor.producer);
    for (const OpId consumer_op : tensor.consumers) {
      const GroupId consumer = groups.of(consumer_op);
      if (consumer == producer ||
          !seen.emplace(groups.allowed_set(producer), groups.allowed_set(consumer)).second) {
        continue;
      }
      for (const DeviceId from : enough_for_links(topology, groups.allowed(producer))) {
        for (const DeviceId to : enough_for_links(topology, groups.allowed(consumer))) {
          require_route(topology, from, to, tensor, graph);
        }
      }
    }
  }
}

std::vector<DeviceId> find_identical(const Graph& graph, const Topology& topology,
                                     const Groups& groups, const CostModel& costs) {
  const auto same = [&](DeviceId a, DeviceId b) {
    if (costs.kind(a) == costs.kind(b)) return true;
    for (const OpId op : IdRange<OpId>(graph.ops().size())) {
      if (costs.op_ps(op, a) != costs.op_ps(op, b)) return false;
      if (groups.is_allowed(groups.of(op), a) != groups.is_allowed(groups.of(op), b)) return false;
    }
    return true;
  };
  std::vector<DeviceId> identical;
  for (const DeviceId device : IdRange<DeviceId>(topology.devices().size())) {
    const DeviceId first = topology.first_identical(device);
    identical.push_back(first != device && same(first, device) ? first : device);
  }
  return identical;
}

}  // namespace

Problem::Parts::Parts(Graph&& given_graph, Topology&& given_topology)
    : graph(std::move(given_graph)),
      topology(std::move(given_topology)),
      allowed(allowed_devices(graph, topology)),
      colocation(graph, colocation_groups(graph), allowed),
      costs(graph, topology, colocation.allowed_by_op()),
      identical(find_identical(graph, topology, colocation, costs)) {
  require_routes(graph, topology, colocation);
}

Problem::Problem(Graph graph, Topology topology)
    : parts_(std::make_shared<const Parts>(std::move(graph), std::move(topology))),
      groups_(parts_, &parts_->colocation) {}

Problem Problem::with_groups(std::vector<GroupId> group_of) const {
  Problem regrouped = *this;
  regrouped.groups_ = std::make_shared<const Groups>(graph(), std::move(group_of), parts_->allowed);
  return regrouped;
}

Problem Problem::with_goal(Goal goal) const {
  Problem judged = *this;
  judged.goal_ = std::move(goal);
  return judged;
}

Problem Problem::within(const Deadline& deadline) const {
  Problem limited = *this;
  limited.deadline_ = deadline;
  return limited;
}

Picoseconds Problem::group_ps(GroupId group, DeviceId device) const {
  Picoseconds sum = 0;
  for (const OpId op : groups().ops(group)) sum += costs().op_ps(op, device);
  return sum;
}

Picoseconds Problem::fastest_ps(OpId op) const {
  Picoseconds fastest = std::numeric_limits<Picoseconds>::max();
  for (const DeviceId device : groups().allowed(groups().of(op))) {
    fastest = std::min(fastest, costs().op_ps(op, device));
  }
  return fastest;
}

std::optional<Placement> Problem::all_on(DeviceId device) const {
  const auto barred = [&](const std::vector<DeviceId>& set) {
    return !std::ranges::binary_search(set, device);
  };
  if (std::ranges::any_of(groups().allowed_sets(), barred)) return std::nullopt;
  return Placement{std::vector<DeviceId>(groups().size(), device)};
}

}  // namespace placer

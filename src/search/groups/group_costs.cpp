#include "search/groups/group_costs.hpp"

#include <algorithm>
#include <limits>

namespace placer {

Picoseconds least_group_ps(const Problem& problem, GroupId group) {
  Picoseconds least_ps = std::numeric_limits<Picoseconds>::max();
  for (const DeviceId device : problem.groups().allowed(group)) {
    least_ps = std::min(least_ps, problem.group_ps(group, device));
  }
  return least_ps;
}

GroupCosts::GroupCosts(const Problem& problem, bool promises)
    : problem_(problem),
      promises_(promises),
      work_ps_(problem.groups().size() * problem.device_count(), 0),
      transfers_ps_(work_ps_.size(), 0),
      promised_ps_(problem.device_count(), 0),
      fixed_(problem.groups().size(), 0) {
  for (const OpId op : IdRange<OpId>(problem.op_count())) {
    const GroupId group = problem.groups().of(op);
    for (const DeviceId device : problem.groups().allowed(group)) {
      work_ps_[group.index() * problem.device_count() + device.index()] +=
          problem.costs().op_ps(op, device);
    }
  }
}

double GroupCosts::cost_ps(OpId op, DeviceId device) const {
  constexpr double kTransferShare = 0.5;
  const std::size_t at =
      problem_.groups().of(op).index() * problem_.device_count() + device.index();
  const auto slots = static_cast<double>(problem_.topology().device(device).slots);
  Picoseconds work_ps = work_ps_[at] - problem_.costs().op_ps(op, device);
  if (promises_) work_ps += promised_ps_[device.index()];
  return static_cast<double>(work_ps) / slots +
         kTransferShare * static_cast<double>(transfers_ps_[at]);
}

/// The group's tensors now have a known end: one transfer for each and op at its other end.
void GroupCosts::fixed(GroupId group, DeviceId device) {
  const Graph& graph = problem_.graph();
  const std::size_t devices = problem_.device_count();
  fixed_[group.index()] = 1;
  promised_ps_[device.index()] += work_ps_[group.index() * devices + device.index()];
  const auto add = [&](OpId other, auto transfer_ps) {
    const GroupId end = problem_.groups().of(other);
    if (fixed_[end.index()] != 0) return;
    for (const DeviceId at : problem_.groups().allowed(end)) {
      transfers_ps_[end.index() * devices + at.index()] += transfer_ps(at);
    }
  };
  for (const OpId op : problem_.groups().ops(group)) {
    for (const TensorId tensor : graph.inputs(op)) {
      add(graph.tensor(tensor).producer,
          [&](DeviceId from) { return problem_.costs().transfer_ps(tensor, from, device); });
    }
    for (const TensorId tensor : graph.outputs(op)) {
      for (const OpId consumer : graph.tensor(tensor).consumers) {
        add(consumer,
            [&](DeviceId to) { return problem_.costs().transfer_ps(tensor, device, to); });
      }
    }
  }
}

void GroupCosts::placed(OpId op, DeviceId device) {
  promised_ps_[device.index()] -= problem_.costs().op_ps(op, device);
}

}  // namespace placer

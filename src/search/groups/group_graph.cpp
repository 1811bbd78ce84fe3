#include "search/groups/group_graph.hpp"

#include <algorithm>
#include <limits>

#include "search/groups/group_memory.hpp"
#include "search/groups/topological_groups.hpp"

namespace placer {
namespace {

IndexLists children_of(const Problem& problem) {
  const Groups& groups = problem.groups();
  std::vector<IndexLists::Entry> entries;
  Watch watch(problem.deadline());
  for (const Tensor& tensor : problem.graph().tensors()) {
    watch.check(tensor.consumers.size());
    const auto from = static_cast<std::uint32_t>(groups.of(tensor.producer).index());
    for (const OpId consumer : tensor.consumers) {
      const auto to = static_cast<std::uint32_t>(groups.of(consumer).index());
      if (to != from) entries.emplace_back(from, to);
    }
  }
  return IndexLists(groups.size(), entries);
}

}  // namespace

GroupGraph::GroupGraph(const Problem& problem)
    : order(topological_groups(problem)),
      children(children_of(problem)),
      parents(children.transposed()),
      mean_ps(order.size()),
      output_bytes(order.size()) {
  const Groups& groups = problem.groups();
  Watch watch(problem.deadline());
  for (const Tensor& tensor : problem.graph().tensors()) {
    watch.check(tensor.consumers.size());
    const GroupId from = groups.of(tensor.producer);
    const bool leaves = std::ranges::any_of(
        tensor.consumers, [&](OpId consumer) { return groups.of(consumer) != from; });
    if (leaves) output_bytes[from.index()] += static_cast<double>(tensor.bytes);
  }
  for (const GroupId group : IdRange<GroupId>(order.size())) {
    const auto allowed = groups.allowed(group);
    for (const DeviceId device : allowed) {
      mean_ps[group.index()] += static_cast<double>(problem.group_ps(group, device));
    }
    mean_ps[group.index()] /= static_cast<double>(allowed.size());
  }
  for (const GroupMemory& memory : group_memory(problem)) {
    params_bytes.push_back(static_cast<double>(memory.always_bytes));
  }
}

std::vector<std::uint32_t> GroupGraph::around(std::size_t group) const {
  std::vector<std::uint32_t> all(parents[group].begin(), parents[group].end());
  all.insert(all.end(), children[group].begin(), children[group].end());
  return all;
}

std::vector<std::uint32_t> evenly_spread(std::vector<std::uint32_t> values, std::size_t most) {
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  if (values.size() <= most) return values;
  for (std::size_t i = 0; i < most; ++i) values[i] = values[i * values.size() / most];
  values.resize(most);
  return values;
}

std::vector<std::vector<std::uint32_t>> reachable(const IndexLists& children,
                                                  const Deadline& deadline) {
  std::vector<std::vector<std::uint32_t>> reached(children.size());
  std::vector<std::uint32_t> pending;
  std::vector<std::size_t> seen(children.size(), children.size());
  Watch watch(deadline);
  for (std::size_t from = 0; from < children.size(); ++from) {
    watch.check();
    seen[from] = from;
    pending.assign(1, static_cast<std::uint32_t>(from));
    while (!pending.empty()) {
      const std::uint32_t at = pending.back();
      pending.pop_back();
      watch.check(children[at].size());
      for (const std::uint32_t child : children[at]) {
        if (seen[child] == from) continue;
        seen[child] = from;
        reached[from].push_back(child);
        pending.push_back(child);
      }
    }
    std::ranges::sort(reached[from]);
  }
  return reached;
}

StartTimes::StartTimes(const Problem& problem)
    : problem_(&problem),
      op_end_(problem.op_count()),
      device_free_(problem.device_count()),
      group_start_(problem.groups().size()) {}

const std::vector<Picoseconds>& StartTimes::of(const Placement& placement) {
  const Graph& graph = problem_->graph();
  const Groups& groups = problem_->groups();
  const CostModel& costs = problem_->costs();
  std::ranges::fill(device_free_, 0);
  std::ranges::fill(group_start_, std::numeric_limits<Picoseconds>::max());
  for (const OpId op : graph.program_order()) {
    const GroupId group = groups.of(op);
    const DeviceId device = placement[group];
    Picoseconds start_ps = device_free_[device.index()];
    for (const TensorId input : graph.inputs(op)) {
      const OpId producer = graph.tensor(input).producer;
      const DeviceId from = placement[groups.of(producer)];
      start_ps =
          std::max(start_ps, op_end_[producer.index()] + costs.transfer_ps(input, from, device));
    }
    Picoseconds& first_ps = group_start_[group.index()];
    first_ps = std::min(first_ps, start_ps);
    op_end_[op.index()] = device_free_[device.index()] = start_ps + costs.op_ps(op, device);
  }
  return group_start_;
}

}  // namespace placer

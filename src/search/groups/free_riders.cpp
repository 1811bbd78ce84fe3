#include "search/groups/free_riders.hpp"

#include <algorithm>
#include <numeric>

namespace placer {
namespace {

/// Whether everything together fits on each device, whatever waits there besides.
bool memory_never_binds(const Problem& problem) {
  double tensor_bytes = 0, params_bytes = 0, temp_bytes = 0;
  for (const Tensor& tensor : problem.graph().tensors()) {
    tensor_bytes += static_cast<double>(tensor.bytes);
  }
  for (const Op& op : problem.graph().ops()) {
    params_bytes += static_cast<double>(op.params_bytes);
    temp_bytes = std::max(temp_bytes, static_cast<double>(op.temp_bytes));
  }
  return std::ranges::all_of(problem.topology().devices(), [&](const Device& device) {
    return params_bytes + temp_bytes + 2 * tensor_bytes <= static_cast<double>(device.memory_bytes);
  });
}

bool takes_no_time(const Problem& problem, GroupId group) {
  return std::ranges::all_of(problem.groups().allowed(group),
                             [&](DeviceId device) { return problem.group_ps(group, device) == 0; });
}

std::vector<std::vector<std::uint32_t>> neighbours(const Problem& problem, Watch& watch) {
  std::vector<std::vector<std::uint32_t>> rows(problem.groups().size());
  for (const Tensor& tensor : problem.graph().tensors()) {
    const auto from = static_cast<std::uint32_t>(problem.groups().of(tensor.producer).index());
    watch.check(tensor.consumers.size() + 1);
    for (const OpId consumer : tensor.consumers) {
      const auto to = static_cast<std::uint32_t>(problem.groups().of(consumer).index());
      if (from == to) continue;
      rows[from].push_back(to);
      rows[to].push_back(from);
    }
  }
  for (std::vector<std::uint32_t>& row : rows) {
    watch.check(row.size() + 1);
    std::ranges::sort(row);
    row.erase(std::unique(row.begin(), row.end()), row.end());
  }
  return rows;
}

}  // namespace

std::vector<std::uint32_t> free_riders(const Problem& problem) {
  const Groups& groups = problem.groups();
  std::vector<std::uint32_t> joins(groups.size());
  std::iota(joins.begin(), joins.end(), 0U);
  if (!memory_never_binds(problem)) return joins;
  Watch watch(problem.deadline());
  std::vector<std::vector<std::uint32_t>> near = neighbours(problem, watch);
  std::vector<std::uint32_t> waiting = joins;
  while (!waiting.empty()) {
    watch.check();
    const std::uint32_t group = waiting.back();
    waiting.pop_back();
    if (joins[group] != group || near[group].size() != 1) continue;
    const std::uint32_t host = near[group].front();
    const bool may_follow = groups.allowed_set(GroupId(group)) == groups.allowed_set(GroupId(host));
    if (!may_follow || !takes_no_time(problem, GroupId(group))) continue;
    joins[group] = host;
    std::erase(near[host], group);
    waiting.push_back(host);
  }
  for (std::uint32_t& host : joins) {
    while (joins[host] != host) host = joins[host];
  }
  return joins;
}

}  // namespace placer

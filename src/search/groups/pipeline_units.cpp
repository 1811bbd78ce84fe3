#include "search/groups/pipeline_units.hpp"

#include <algorithm>

#include "search/groups/connected_parts.hpp"
#include "search/groups/free_riders.hpp"
#include "search/groups/index_lists.hpp"

namespace placer {
namespace {

/// Between groups that are not mere passengers of others.
IndexLists group_arcs(const Problem& problem, const std::vector<std::uint32_t>& riders,
                      Watch& watch) {
  std::vector<IndexLists::Entry> arcs;
  const std::vector<char> has_forward = groups_with_forward_ops(problem);
  const Graph& graph = problem.graph();
  for (const Tensor& tensor : graph.tensors()) {
    const bool is_backward = graph.op(tensor.producer).backward;
    watch.check(tensor.consumers.size() + 1);
    for (const OpId consumer : tensor.consumers) {
      if (graph.op(consumer).backward != is_backward) continue;
      auto from = static_cast<std::uint32_t>(problem.groups().of(tensor.producer).index());
      auto to = static_cast<std::uint32_t>(problem.groups().of(consumer).index());
      if (is_backward) std::swap(from, to);
      from = riders[from];
      to = riders[to];
      if (is_backward && has_forward[from] + has_forward[to] == 2) continue;
      if (from != to) arcs.emplace_back(from, to);
    }
  }
  return IndexLists(problem.groups().size(), arcs);
}

void link_back(std::vector<PipelineUnit>& units, Watch& watch) {
  for (std::uint32_t unit = 0; unit < units.size(); ++unit) {
    std::vector<std::uint32_t>& after = units[unit].after;
    watch.check(after.size() + 1);
    std::ranges::sort(after);
    after.erase(std::unique(after.begin(), after.end()), after.end());
    for (const std::uint32_t next : after) units[next].before.push_back(unit);
  }
}

}  // namespace

std::vector<char> groups_with_forward_ops(const Problem& problem) {
  std::vector<char> has(problem.groups().size(), 0);
  for (const OpId op : IdRange<OpId>(problem.op_count())) {
    if (!problem.graph().op(op).backward) has[problem.groups().of(op).index()] = 1;
  }
  return has;
}

std::vector<PipelineUnit> pipeline_units(const Problem& problem, std::size_t most) {
  const std::vector<std::uint32_t> riders = free_riders(problem);
  Watch watch(problem.deadline());
  const IndexLists arcs = group_arcs(problem, riders, watch);
  const auto [part, count] = connected_parts(arcs, watch);
  std::vector<IndexLists::Entry> members, crossing;
  for (std::uint32_t group = 0; group < arcs.size(); ++group) {
    members.emplace_back(part[riders[group]], group);
    watch.check(arcs[group].size() + 1);
    for (const std::uint32_t to : arcs[group]) {
      if (part[group] != part[to]) crossing.emplace_back(part[group], part[to]);
    }
  }
  const IndexLists groups_of(count, members), between(count, crossing);
  std::vector<std::uint32_t> order = postorder(between, watch), unit_of(count);
  std::ranges::reverse(order);
  std::erase_if(order, [&](std::uint32_t rider) { return groups_of[rider].empty(); });
  std::vector<PipelineUnit> units(std::min(most, order.size()));
  for (std::size_t i = 0; i < order.size(); ++i) {
    watch.check();
    unit_of[order[i]] = static_cast<std::uint32_t>(i * units.size() / order.size());
    for (const std::uint32_t group : groups_of[order[i]]) {
      units[unit_of[order[i]]].groups.emplace_back(group);
    }
  }
  for (std::uint32_t from = 0; from < count; ++from) {
    for (const std::uint32_t to : between[from]) {
      if (unit_of[from] != unit_of[to]) units[unit_of[from]].after.push_back(unit_of[to]);
    }
  }
  link_back(units, watch);
  return units;
}

}  // namespace placer

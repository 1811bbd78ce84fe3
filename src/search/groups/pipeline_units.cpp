#include "search/groups/pipeline_units.hpp"

#include <algorithm>

#include "search/groups/free_riders.hpp"

namespace placer {
namespace {

using Arcs = std::vector<std::vector<std::uint32_t>>;

void make_distinct(Arcs& arcs, Watch& watch) {
  for (std::vector<std::uint32_t>& row : arcs) {
    watch.check(row.size() + 1);
    std::ranges::sort(row);
    row.erase(std::unique(row.begin(), row.end()), row.end());
  }
}

Arcs reversed(const Arcs& arcs, Watch& watch) {
  Arcs back(arcs.size());
  for (std::uint32_t from = 0; from < arcs.size(); ++from) {
    watch.check(arcs[from].size() + 1);
    for (const std::uint32_t to : arcs[from]) back[to].push_back(from);
  }
  return back;
}

/// Between groups that are not mere passengers of others.
Arcs group_arcs(const Problem& problem, const std::vector<std::uint32_t>& riders, Watch& watch) {
  Arcs arcs(problem.groups().size());
  const std::vector<char> has_forward = groups_with_forward_ops(problem);
  const Graph& graph = problem.graph();
  for (const Tensor& tensor : graph.tensors()) {
    const bool is_backward = graph.op(tensor.producer).backward;
    watch.check(tensor.consumers.size() + 1);
    for (const OpId consumer : tensor.consumers) {
      if (graph.op(consumer).backward != is_backward) continue;
      std::size_t from = problem.groups().of(tensor.producer).index();
      std::size_t to = problem.groups().of(consumer).index();
      if (is_backward) std::swap(from, to);
      from = riders[from];
      to = riders[to];
      if (is_backward && has_forward[from] + has_forward[to] == 2) continue;
      if (from != to) arcs[from].push_back(static_cast<std::uint32_t>(to));
    }
  }
  make_distinct(arcs, watch);
  return arcs;
}

/// Appends what can be reached from `root` and was not seen, each after all that follows it.
void append_postorder(const Arcs& arcs, std::uint32_t root, std::vector<char>& seen,
                      std::vector<std::uint32_t>& order, Watch& watch) {
  if (std::exchange(seen[root], 1) != 0) return;
  std::vector<std::pair<std::uint32_t, std::size_t>> path = {{root, 0}};
  while (!path.empty()) {
    watch.check();
    auto& [node, next] = path.back();
    if (next == arcs[node].size()) {
      order.push_back(node);
      path.pop_back();
      continue;
    }
    const std::uint32_t to = arcs[node][next++];
    if (std::exchange(seen[to], 1) == 0) path.emplace_back(to, 0);
  }
}

std::vector<std::uint32_t> postorder(const Arcs& arcs, Watch& watch) {
  std::vector<char> seen(arcs.size(), 0);
  std::vector<std::uint32_t> order;
  for (std::uint32_t node = 0; node < arcs.size(); ++node) {
    append_postorder(arcs, node, seen, order, watch);
  }
  return order;
}

/// By group, the number of its strongly connected part (Sharir 1981).
std::vector<std::uint32_t> connected_parts(const Arcs& arcs, std::uint32_t& parts, Watch& watch) {
  const Arcs back = reversed(arcs, watch);
  const std::vector<std::uint32_t> order = postorder(arcs, watch);
  std::vector<std::uint32_t> part(arcs.size());
  std::vector<char> seen(arcs.size(), 0);
  std::vector<std::uint32_t> found;
  parts = 0;
  for (auto root = order.rbegin(); root != order.rend(); ++root) {
    found.clear();
    append_postorder(back, *root, seen, found, watch);
    for (const std::uint32_t node : found) part[node] = parts;
    if (!found.empty()) ++parts;
  }
  return part;
}

void link_back(std::vector<PipelineUnit>& units) {
  for (std::uint32_t unit = 0; unit < units.size(); ++unit) {
    std::vector<std::uint32_t>& after = units[unit].after;
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

std::vector<PipelineUnit> pipeline_units(const Problem& problem) {
  const std::vector<std::uint32_t> riders = free_riders(problem);
  Watch watch(problem.deadline());
  const Arcs arcs = group_arcs(problem, riders, watch);
  std::uint32_t count = 0;
  const std::vector<std::uint32_t> part = connected_parts(arcs, count, watch);
  Arcs between(count);
  for (std::uint32_t from = 0; from < arcs.size(); ++from) {
    watch.check(arcs[from].size() + 1);
    for (const std::uint32_t to : arcs[from]) {
      if (part[from] != part[to]) between[part[from]].push_back(part[to]);
    }
  }
  make_distinct(between, watch);
  std::vector<char> has_groups(count, 0);
  for (const std::uint32_t host : riders) has_groups[part[host]] = 1;
  std::vector<std::uint32_t> order = postorder(between, watch), place(count);
  std::ranges::reverse(order);
  std::erase_if(order, [&](std::uint32_t rider) { return has_groups[rider] == 0; });
  for (std::uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  std::vector<PipelineUnit> units(order.size());
  for (std::uint32_t group = 0; group < arcs.size(); ++group) {
    units[place[part[riders[group]]]].groups.emplace_back(group);
  }
  for (std::uint32_t from = 0; from < count; ++from) {
    for (const std::uint32_t to : between[from]) units[place[from]].after.push_back(place[to]);
  }
  link_back(units);
  return units;
}

std::vector<PipelineUnit> joined_units(std::vector<PipelineUnit> units, std::size_t most) {
  if (units.size() <= most) return units;
  const auto place = [&](std::size_t unit) {
    return static_cast<std::uint32_t>(unit * most / units.size());
  };
  std::vector<PipelineUnit> joined(most);
  for (std::uint32_t unit = 0; unit < units.size(); ++unit) {
    PipelineUnit& to = joined[place(unit)];
    to.groups.insert(to.groups.end(), units[unit].groups.begin(), units[unit].groups.end());
    for (const std::uint32_t next : units[unit].after) {
      if (place(next) != place(unit)) to.after.push_back(place(next));
    }
  }
  link_back(joined);
  return joined;
}

}  // namespace placer

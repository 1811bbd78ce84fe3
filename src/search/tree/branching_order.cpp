#include "search/tree/branching_order.hpp"

#include <algorithm>
#include <utility>

#include "search/groups/group_costs.hpp"
#include "search/groups/neighbours.hpp"

namespace placer {

std::vector<GroupId> branching_order(const Problem& problem) {
  const std::size_t count = problem.groups().size();
  std::vector<std::vector<std::pair<GroupId, double>>> sent_seconds(count);
  const Neighbours neighbours(problem);
  for (const Neighbours::Edge& edge : neighbours.edges()) {
    sent_seconds[edge.a.index()].emplace_back(edge.b, edge.transfer_seconds);
    sent_seconds[edge.b.index()].emplace_back(edge.a, edge.transfer_seconds);
  }
  std::vector<double> seconds(count);
  std::vector<GroupId> left, order;
  for (const GroupId group : IdRange<GroupId>(count)) {
    seconds[group.index()] = to_seconds(least_group_ps(problem, group));
    left.push_back(group);
  }
  while (!left.empty()) {
    const auto next =
        std::ranges::max_element(left, {}, [&](GroupId group) { return seconds[group.index()]; });
    for (const auto& [other, more] : sent_seconds[next->index()]) seconds[other.index()] += more;
    order.push_back(*next);
    left.erase(next);
  }
  return order;
}

}  // namespace placer

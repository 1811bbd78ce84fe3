#include "search/groups/topological_groups.hpp"

namespace placer {

std::vector<GroupId> topological_groups(const Problem& problem) {
  std::vector<GroupId> order;
  std::vector<char> seen(problem.groups().size(), 0);
  for (const OpId op : problem.graph().program_order()) {
    const GroupId group = problem.groups().of(op);
    if (seen[group.index()] == 0) order.push_back(group);
    seen[group.index()] = 1;
  }
  return order;
}

}  // namespace placer

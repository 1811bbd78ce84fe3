#include "search/runs/line_of_groups.hpp"

#include <algorithm>

#include "search/groups/neighbours.hpp"
#include "search/groups/pipeline_units.hpp"

namespace placer {
namespace {

/// By group, the one that it has more traffic with than with all others together; itself if none.
std::vector<GroupId> partners(const Problem& problem) {
  std::vector<double> all_seconds(problem.groups().size(), 0), most_seconds = all_seconds;
  std::vector<GroupId> partners;
  for (const GroupId group : IdRange<GroupId>(all_seconds.size())) partners.push_back(group);
  const Neighbours neighbours(problem);
  const auto count = [&](GroupId group, GroupId other, double seconds) {
    all_seconds[group.index()] += seconds;
    if (seconds <= most_seconds[group.index()]) return;
    most_seconds[group.index()] = seconds;
    partners[group.index()] = other;
  };
  for (const Neighbours::Edge& edge : neighbours.edges()) {
    count(edge.a, edge.b, edge.transfer_seconds);
    count(edge.b, edge.a, edge.transfer_seconds);
  }
  for (const GroupId group : IdRange<GroupId>(all_seconds.size())) {
    const bool is_most = 2 * most_seconds[group.index()] > all_seconds[group.index()];
    if (!is_most) partners[group.index()] = group;
  }
  return partners;
}

}  // namespace

std::vector<GroupId> line_of_groups(const Problem& problem) {
  std::vector<GroupId> line;
  for (const PipelineUnit& unit : pipeline_units(problem)) {
    line.insert(line.end(), unit.groups.begin(), unit.groups.end());
  }
  const std::vector<GroupId> partner = partners(problem);
  std::vector<char> is_ahead(line.size(), 0);
  for (std::size_t at = 0; at < line.size(); ++at) {
    const GroupId group = line[at];
    is_ahead[group.index()] = 1;
    if (partner[group.index()] == group || is_ahead[partner[group.index()].index()] == 0) continue;
    std::size_t to = at;
    while (line[to - 1] != partner[group.index()]) --to;
    std::rotate(line.begin() + static_cast<std::ptrdiff_t>(to),
                line.begin() + static_cast<std::ptrdiff_t>(at),
                line.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  }
  return line;
}

}  // namespace placer

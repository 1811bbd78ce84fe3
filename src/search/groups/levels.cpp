#include "search/groups/levels.hpp"

#include <map>
#include <utility>

#include "placer/search/grouping.hpp"

namespace placer {

std::vector<GroupId> split_by_device(const Problem& problem, std::vector<GroupId> group_of,
                                     const Placement& placement) {
  std::map<std::pair<GroupId, DeviceId>, GroupId> known;
  for (const OpId op : IdRange<OpId>(group_of.size())) {
    const DeviceId device = placement[problem.groups().of(op)];
    GroupId& group = group_of[op.index()];
    group = known.emplace(std::pair(group, device), GroupId(known.size())).first->second;
  }
  return group_of;
}

std::vector<Problem> coarse_levels(const Problem& problem, std::size_t coarsest, double factor,
                                   const Placement* keep, const std::function<bool()>& stop) {
  std::vector<Problem> levels;
  std::size_t groups = problem.groups().size();
  while (groups > coarsest && !(stop && stop())) {
    // The last step is taken along with the one before when it would be a short one.
    auto wanted = static_cast<std::size_t>(static_cast<double>(groups) / factor);
    if (static_cast<double>(wanted) < static_cast<double>(coarsest) * factor / 2) wanted = coarsest;
    const Problem& finer = levels.empty() ? problem : levels.back();
    std::vector<GroupId> group_of = merge_groups(finer, wanted, stop);
    if (keep != nullptr) group_of = split_by_device(problem, std::move(group_of), *keep);
    Problem level = finer.with_groups(std::move(group_of));
    const std::size_t left = level.groups().size();
    if (left * 10 > groups * 9) break;
    groups = left;
    levels.push_back(std::move(level));
    if (wanted == coarsest) break;
  }
  return levels;
}

}  // namespace placer

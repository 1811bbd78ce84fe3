#include "search/groups/alike_groups.hpp"

#include <cstdint>
#include <map>

#include "placer/base/deadline.hpp"
#include "search/groups/group_memory.hpp"
#include "search/groups/topological_groups.hpp"

namespace placer {
namespace {

constexpr Picoseconds kNotAllowed = -1;

/// Of groups that are alike these are the same.
std::vector<std::int64_t> traits(const Problem& problem, GroupId group, const GroupMemory& memory) {
  std::vector<std::int64_t> found = {memory.always_bytes, memory.made_bytes};
  for (const DeviceId device : IdRange<DeviceId>(problem.device_count())) {
    if (problem.first_identical(device) != device) continue;
    const bool is_allowed = problem.groups().is_allowed(group, device);
    found.push_back(is_allowed ? problem.group_ps(group, device) : kNotAllowed);
  }
  return found;
}

}  // namespace

AlikeGroups::AlikeGroups(const Problem& problem)
    : sequence_(topological_groups(problem)), position_(sequence_.size()), kind_(sequence_.size()) {
  const std::vector<GroupMemory> memory = group_memory(problem);
  std::map<std::vector<std::int64_t>, std::size_t> kinds;
  Watch watch(problem.deadline());
  for (std::size_t at = 0; at < sequence_.size(); ++at) {
    watch.check(problem.device_count());
    const GroupId group = sequence_[at];
    const auto known = kinds.emplace(traits(problem, group, memory[group.index()]), kinds.size());
    const std::size_t kind = known.first->second;
    members_.resize(kinds.size());
    members_[kind].push_back(group);
    kind_[group.index()] = kind;
    position_[group.index()] = at;
  }
}

std::size_t AlikeGroups::distance(GroupId one, GroupId other) const {
  const std::size_t first = position_[one.index()], second = position_[other.index()];
  return first < second ? second - first : first - second;
}

std::vector<AlikeGroups::Pair> AlikeGroups::stretch(const Pair& middle, std::size_t before,
                                                    std::size_t after) const {
  std::vector<Pair> found = {middle};
  const std::size_t group = position_[middle.group.index()];
  const std::size_t like = position_[middle.like.index()];
  const std::size_t period = distance(middle.group, middle.like);
  const auto add = [&](std::size_t at, std::size_t other) {
    const Pair pair{sequence_[at], sequence_[other]};
    if (kind_[pair.group.index()] != kind_[pair.like.index()]) return false;
    found.push_back(pair);
    return true;
  };
  for (std::size_t k = 1; k <= before && k <= group && k % period <= like; ++k) {
    if (!add(group - k, like - k % period)) break;
  }
  for (std::size_t k = 1; k <= after && group + k < sequence_.size(); ++k) {
    if (like + k % period >= sequence_.size() || !add(group + k, like + k % period)) break;
  }
  return found;
}

}  // namespace placer

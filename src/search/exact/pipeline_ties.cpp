#include "search/exact/pipeline_ties.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "placer/base/text.hpp"

namespace placer {
namespace {

std::vector<OpId> forward_ops(const Problem& problem, GroupId group) {
  std::vector<OpId> forward;
  std::ranges::copy_if(problem.groups().ops(group), std::back_inserter(forward),
                       [&](OpId op) { return !problem.graph().op(op).backward; });
  return forward;
}

/// Those of `groups` whose forward ops take time.
std::vector<GroupId> working_groups(const Problem& problem, const std::vector<GroupId>& groups) {
  std::vector<GroupId> working;
  std::ranges::copy_if(groups, std::back_inserter(working), [&](GroupId group) {
    const DeviceId device = problem.groups().allowed(group).front();
    return std::ranges::any_of(forward_ops(problem, group),
                               [&](OpId op) { return problem.costs().op_ps(op, device) > 0; });
  });
  return working;
}

/// The first and the last forward op of that of some groups whose forward ops are the farthest
/// apart in the order of the program.
std::pair<OpId, OpId> widest_group(const Problem& problem, const std::vector<GroupId>& groups) {
  const auto place_of = [&](OpId op) { return problem.graph().program_position(op); };
  std::pair<OpId, OpId> widest;
  std::size_t most = 0;
  for (const GroupId group : groups) {
    const std::vector<OpId> forward = forward_ops(problem, group);
    if (forward.empty()) continue;
    const auto [first, last] = std::ranges::minmax_element(forward, {}, place_of);
    if (place_of(*last) - place_of(*first) < most) continue;
    most = place_of(*last) - place_of(*first);
    widest = {*first, *last};
  }
  return widest;
}

}  // namespace

void warn_of_ties(const Problem& problem, const std::vector<PipelineUnit>& units,
                  const Observer& observer) {
  std::vector<GroupId> largest;
  std::size_t all = 0;
  for (const PipelineUnit& unit : units) {
    std::vector<GroupId> working = working_groups(problem, unit.groups);
    all += working.size();
    if (working.size() > largest.size()) largest = std::move(working);
  }
  if (2 * largest.size() <= all) return;
  const auto [first, last] = widest_group(problem, largest);
  if (first == last) return;
  observer.tell(EventLevel::kWarn, "dp", [&, first = first, last = last] {
    return fmt::format(
        "no stage can be cut inside {} of {} groups, as '{}' and '{}' always share a device",
        largest.size(), all, shown_name(problem.graph().op(first).name),
        shown_name(problem.graph().op(last).name));
  });
}

}  // namespace placer

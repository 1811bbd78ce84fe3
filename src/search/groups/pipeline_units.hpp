#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "placer/model/problem.hpp"

namespace placer {

/// What a stage of a pipeline has or has not as a whole: groups that no order of stages can part,
/// since the forward pass goes from one to the other and back, and their free_riders.
struct PipelineUnit {
  std::vector<GroupId> groups;
  std::vector<std::uint32_t> before, after;  // units, distinct
};

/// By group, whether one of its ops is in the forward pass.
std::vector<char> groups_with_forward_ops(const Problem& problem);

/// Of an exact search over stages; more are joined.
inline constexpr std::size_t kMostPipelineUnits = 2'000;

/// All groups as units, in an order by depth first in which each unit follows those before it. What
/// the forward pass hands on counts. Where a group has no forward op, what it hands to other
/// backward ops and gets from them counts the other way round, and so decides its place. Where
/// these are more than `most`, as many, each of several that follow each other.
std::vector<PipelineUnit> pipeline_units(
    const Problem& problem, std::size_t most = std::numeric_limits<std::size_t>::max());

}  // namespace placer

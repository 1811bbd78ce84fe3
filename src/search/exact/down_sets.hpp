#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "placer/base/deadline.hpp"
#include "search/groups/pipeline_units.hpp"

namespace placer {

/// Sets of units that have with each unit all those before it, smaller ones first: what the stages
/// up to one of them can hold. The first is empty and the last has all units.
struct DownSets {
  struct Cover {
    std::uint32_t unit, set;  // the set with this unit added
  };
  std::vector<std::vector<Cover>> covers;  // by set, by rising unit
  std::vector<Cover> parents;              // by set: one with a unit less; of no use for the first

  std::size_t size() const { return covers.size(); }
  /// The units of one that are not in another, smaller one, in no order.
  std::vector<std::uint32_t> between(std::uint32_t small, std::uint32_t large) const;
};

/// The units up to one of them, in their order: one line through the down-sets.
DownSets prefixes(const std::vector<PipelineUnit>& units);

/// All down-sets; empty where there are more than `most`.
std::optional<DownSets> all_down_sets(const std::vector<PipelineUnit>& units, std::size_t most,
                                      const Deadline& deadline);

}  // namespace placer

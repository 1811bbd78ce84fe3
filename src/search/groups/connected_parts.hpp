#pragma once

#include <cstdint>
#include <vector>

#include "placer/base/deadline.hpp"
#include "search/groups/index_lists.hpp"

namespace placer {

/// All nodes of a graph, given by the arcs that leave each, in an order by depth first in which
/// each node stands after all that it leads to, unless it lies on a cycle.
std::vector<std::uint32_t> postorder(const IndexLists& arcs, Watch& watch);

/// The strongly connected parts of a graph: nodes of which each leads to each other.
struct ConnectedParts {
  std::vector<std::uint32_t> of;  // by node
  std::uint32_t count = 0;
};
/// By two searches by depth first (Sharir 1981), in time proportional to the arcs.
ConnectedParts connected_parts(const IndexLists& arcs, Watch& watch);

}  // namespace placer

#pragma once

#include <cstdint>
#include <vector>

#include "placer/search/search.hpp"

namespace placer {

/// The groups as an undirected graph in the form that partitioners read: the neighbours of vertex v
/// and the weights of the edges to them are those from offsets[v] on. A vertex weighs the mean time
/// of its group over the devices where it may go, an edge the mean transfer time of all bytes
/// between its ends; both at least 1, in units that make them add up to about 10 million.
struct PartitionGraph {
  std::vector<std::int32_t> offsets, neighbours, edge_weights, vertex_weights;
};
PartitionGraph partition_graph(const Problem& problem);

/// The devices where some group may go, each with its share of all work: slots over slowness
/// (`relative_slowness`); the shares add up to 1.
struct Part {
  DeviceId device;
  double work_share = 0;
};
std::vector<Part> wanted_parts(const Problem& problem);

/// The device of each group: that of its part, or of a part of equal share. Parts change places as
/// long as that takes their traffic over faster links.
std::vector<DeviceId> place_parts(const Problem& problem, const std::vector<Part>& parts,
                                  const std::vector<std::int32_t>& part_of);

/// A placement near `wanted`: each group is on its wanted device where it may go there and
/// `demand_bytes` finds room, else where its time and the transfers to what is placed are least.
/// Groups with little choice are placed first, others in topological order.
Placement repaired(const Problem& problem, const std::vector<DeviceId>& wanted,
                   std::vector<std::int64_t> demand_bytes);

/// Scores the partition `part_of` (by group: a position in `parts`) on devices, repaired for what
/// must be in memory all the time and, where that overflows, for all that is touched.
void evaluate_partition(Search& search, const std::vector<Part>& parts,
                        const std::vector<std::int32_t>& part_of);

}  // namespace placer

#pragma once

#include <vector>

#include "search/bounds/path_sides.hpp"
#include "search/groups/memory_fit.hpp"
#include "search/joins/device_kinds.hpp"

namespace placer {

/// Branches beside a path, of groups that are not on it, from one of its ops to a later one. Where
/// a device has all links of the chain between the two, from `first` to one known from elsewhere,
/// the path waits: for the branches that run on the device, one after the other, and for the
/// longest of those that leave it, whose tensors are sent there and back.
struct PathBranches {
  std::size_t first;
  std::vector<Picoseconds> delay_ps;  // by kind of the device, for the best choice of which leave
};

/// By last link. What `sides` delay in the same stretch of the path is not counted again.
std::vector<std::vector<PathBranches>> branches_of_path(
    const Problem& problem, const MemoryFit& fit, const DeviceKinds& kinds, const GroupChain& chain,
    const std::vector<std::vector<PathSide>>& sides);

}  // namespace placer

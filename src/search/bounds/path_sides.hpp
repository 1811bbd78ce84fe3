#pragma once

#include <vector>

#include "placer/sim/simulator.hpp"
#include "search/bounds/path_places.hpp"

namespace placer {

/// A path, and its groups as a chain: in the order in which they first come along it.
struct GroupChain {
  GroupChain(const Problem& problem, std::vector<OpId> path);

  PathPlaces along;
  std::vector<std::size_t> links;  // by place on the path: where in `groups` its op's group is
  std::vector<GroupId> groups;
};

/// An op beside a path, of one of its groups. A device that has all links of the chain from `first`
/// on, to one known from elsewhere, and one slot runs this op after what the path's op at the place
/// `begin` waits for, and before the one at the place `due`.
struct PathSide {
  OpId op;
  std::size_t first;
  std::size_t begin, due;
};

/// What delays a path where it stays on a device, by last link. An op does that comes after an op
/// of the path and before another: in every order if the graph says so; in `kFifo` also if it is
/// ready before the other; in `kProgram` also if it has the lower id of two that come in turn.
/// Gradients of parameters do so in a training step, which the path itself does not wait for.
std::vector<std::vector<PathSide>> sides_of_path(const Problem& problem, const GroupChain& chain,
                                                 Order order);

}  // namespace placer

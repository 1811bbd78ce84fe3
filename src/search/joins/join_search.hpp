#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "search/joins/joint_start.hpp"

namespace placer {

/// Works out the earliest start of joins from joint placements of the ops right before them. In
/// JoinTime each op may assume that its producers ran wherever that suits it; here all ops agree on
/// where each of them runs, and tensors wait for each other. It is a branch and bound, best first,
/// over a limited number of placements in all, fewer where they raise nothing. Repeated layers are
/// looked at once.
class JoinSearch {
 public:
  JoinSearch(const Problem& problem, const MemoryFit& fit);

  /// Whether so many searches have raised nothing that no further one is worth its time.
  bool has_given_up() const { return barren_left_ == 0; }
  /// A time before which no placement that fits starts the join; at least what `basis` says.
  /// `region` was found around the join.
  Picoseconds start_ps(JoinBasis basis, const JoinRegion& region);

 private:
  struct Node {
    Picoseconds least_ps;
    JointPlacement placement;
    /// The node of least time comes first in the heap; among equal ones that with more groups
    /// placed, then that of lower devices.
    friend bool operator<(const Node& a, const Node& b) {
      if (a.least_ps != b.least_ps) return a.least_ps > b.least_ps;
      if (a.placement.placed != b.placement.placed) return a.placement.placed < b.placement.placed;
      return a.placement.devices > b.placement.devices;
    }
  };

  std::vector<std::int64_t> key(const JoinBasis& basis) const;
  Picoseconds search(const JoinBasis& basis, std::size_t most_nodes);
  void expand(const JoinBasis& basis, JointPlacement placement);

  const Problem& problem_;
  const MemoryFit& fit_;
  JoinMembers members_;
  JointStart joint_start_;
  std::map<std::vector<std::int64_t>, Picoseconds> known_;  // how long after the least, by key
  std::size_t nodes_left_, barren_left_;  // of all; of searches that raise nothing
  std::vector<Node> queue_;               // a heap
};

}  // namespace placer

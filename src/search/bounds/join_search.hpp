#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "search/bounds/joint_start.hpp"

namespace placer {

/// Works out when joins can start from joint placements of the ops right before them. Unlike
/// JoinTime, where each op that is elsewhere finds its producers where that suits it, ops agree on
/// where those ran, and tensors wait for each other. Branch and bound, best first, for so many
/// placements in all, fewer where that raises nothing; repeated layers are looked at once.
class JoinSearch {
 public:
  /// Of `fit` nothing is fixed.
  JoinSearch(const Problem& problem, const MemoryFit& fit);

  /// Too much was looked at for nothing.
  bool has_given_up() const { return barren_left_ == 0; }
  /// Nothing that fits starts the join earlier; at least what the basis says. `region` was found
  /// around the join.
  Picoseconds start_ps(JoinBasis basis, const JoinRegion& region);

 private:
  struct Node {
    Picoseconds least_ps;
    JointPlacement placement;
    /// Of equal ones those with more groups placed, then lower devices, come first.
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

#pragma once

#include <span>
#include <vector>

#include "placer/model/problem.hpp"

namespace placer {

/// For each group the groups that it exchanges bytes with.
class Neighbours {
 public:
  struct Edge {
    GroupId a, b;  // a < b
    /// The time that everything between the two groups would take to transfer, the mean over all
    /// pairs of devices.
    double transfer_seconds;
  };

  explicit Neighbours(const Problem& problem);

  /// All pairs of neighbours, each once, sorted by (a, b).
  const std::vector<Edge>& edges() const { return edges_; }
  std::span<const GroupId> of(GroupId group) const {
    return {groups_.data() + offsets_[group.index()], groups_.data() + offsets_[group.index() + 1]};
  }
  /// The transfer_seconds of these, in the same order.
  std::span<const double> seconds_of(GroupId group) const {
    return {seconds_.data() + offsets_[group.index()],
            seconds_.data() + offsets_[group.index() + 1]};
  }

 private:
  std::vector<Edge> edges_;
  std::vector<std::size_t> offsets_;
  std::vector<GroupId> groups_;
  std::vector<double> seconds_;
};

}  // namespace placer

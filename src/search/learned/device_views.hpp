#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nn/matrix.hpp"
#include "search/groups/group_graph.hpp"

namespace placer {

/// What each device is to a group that is to be placed: numbers that mean the same for every
/// device, so that one scorer serves all of them.
class DeviceViews {
 public:
  static constexpr std::size_t kFeatures = 10;

  /// `parallel` has for each group those that neither reach it nor are reached by it; all three
  /// outlive this, and so does `memory_bytes`, by group.
  DeviceViews(const Problem& problem, const GroupGraph& graph,
              const std::vector<std::vector<std::uint32_t>>& parallel,
              std::span<const std::int64_t> memory_bytes);

  /// Fills a row of `rows` for each device, from `first_row` on, with how `placement` looks to
  /// `group`: whether it is there already, the shares of the transfers from its parents and to its
  /// children that end there, the share of all other work there and that of work parallel to it,
  /// what is free of the memory with it, how much longer than elsewhere it takes, the transfers
  /// from and to other devices, and the parallel work, both in times of its own (log-scaled).
  void fill(const Placement& placement, std::size_t group, nn::Index first_row, nn::Matrix& rows);

 private:
  struct Edge {
    std::uint32_t group;
    double ps;  // of the transfer, mean over the pairs of devices
  };
  struct Sums {
    double from_ps = 0, to_ps = 0, work_ps = 0, parallel_ps = 0, bytes = 0;
  };
  void add_edges();
  void sum(const Placement& placement, std::size_t group);

  const Problem& problem_;
  const GroupGraph& graph_;
  const std::vector<std::vector<std::uint32_t>>& parallel_;
  std::span<const std::int64_t> memory_bytes_;
  std::vector<std::vector<Edge>> from_, to_;  // by group
  std::vector<Sums> on_;                      // by device
  Sums all_;
};

}  // namespace placer

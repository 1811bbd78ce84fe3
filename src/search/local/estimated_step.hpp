#pragma once

#include <cstdint>
#include <vector>

#include "placer/model/problem.hpp"
#include "placer/sim/schedule.hpp"
#include "search/groups/changing_sums.hpp"
#include "search/local/estimated_memory.hpp"

namespace placer {

/// How long a step would take after moves of groups, estimated from its schedule before them, in a
/// thousandth of the time of a simulation. Ops are lined up as they started, and the line is cut
/// into bands of equally many ops. A band takes as long as the device or channel that has most to
/// do in it (their 8-norm, which rewards every relief); added to the bands is the time of all ops
/// and transfers, scaled to be as long as the step before the moves, for what waits on what. Bytes
/// beyond the memory (`EstimatedMemory`) lengthen the step, twenty times for a capacity of them.
class EstimatedStep {
 public:
  explicit EstimatedStep(const Problem& problem);
  /// Whether devices and channels are few enough for it.
  static bool serves(const Problem& problem);

  /// Estimates from this schedule on; the sum of all times counts `path_weight`.
  void stand_at(const Schedule& schedule, double path_weight);
  const Placement& placement() const { return memory_.placement(); }
  /// The estimate in ps, overflow included.
  double cost_ps() const;
  /// How much longer the step would take with the group, which is elsewhere, on `to`, in ps.
  double change_ps(GroupId group, DeviceId to);
  /// Makes the move that was asked about last.
  void move();

 private:
  using Net = TensorLives::Net;
  using DeviceSet = std::uint64_t;

  void find_routes();
  void add_all();
  void scale(const Schedule& schedule, double path_weight);

  void collect(GroupId group, DeviceId to);
  void collect_net(const Net& net, std::uint32_t group, std::uint32_t from, std::uint32_t to);
  void send(const Net& net, std::uint32_t from, DeviceSet to, double sign);
  double band_ps(double power) const;
  double overflow_ps(std::size_t entry, double bytes) const;

  const Problem& problem_;
  const std::size_t devices_, resources_, bands_;
  EstimatedMemory memory_;
  std::vector<std::vector<std::size_t>> route_;  // resources of a transfer: from * devices + to

  ChangingSums loads_;   // ps: band * resources + resource; devices, then channels
  ChangingSums powers_;  // by band: sum of eighth powers of loads over unit_ps_
  double unit_ps_ = 1, path_unit_ = 0;
  double total_ps_ = 0, more_total_ps_ = 0;  // of all ops and transfers
};

}  // namespace placer

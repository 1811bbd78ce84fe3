#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "placer/base/ids.hpp"
#include "placer/base/units.hpp"
#include "placer/model/graph.hpp"
#include "placer/model/groups.hpp"
#include "placer/model/topology.hpp"

namespace placer {

/// The device's peak for what the op does: the one for the type of its first output (float32
/// without one), and the one for tf32, where the device has it, for float32 products, attention and
/// recurrent cells. Empty where the device has no such peak.
std::optional<double> peak_flops_per_second(const Op& op, const Device& device);

/// Filled tables: the time of each op on each kind of device and of each tensor over links of each
/// speed. Devices are of a kind here where no op tells them apart.
class CostModel {
 public:
  /// An op's own seconds win (device name, then type), else the roofline
  ///   launch + max(flops / (peak * efficiency), bytes / (bandwidth * efficiency)).
  /// Throws Error for an op without a cost on an allowed device, and for times so long that a step
  /// could overflow: the longest time of each op plus the longest transfer of each tensor to each
  /// device is at most 9e6 s.
  CostModel(const Graph& graph, const Topology& topology, const AllowedDevices& allowed);

  /// The time of an op on a device where it may be placed; 0 where it may not.
  Picoseconds op_ps(OpId op, DeviceId device) const {
    return op_ps_[op.index() * kinds_ + kind_[device.index()]];
  }
  /// Devices of equal kinds have equal times of all ops, slots and memory, and may run the same
  /// ops; links may differ.
  std::size_t kind(DeviceId device) const { return kind_[device.index()]; }
  std::size_t kind_count() const { return kinds_; }
  /// The time of a transfer, not counting the wait for channels. It is 0 on one and the same
  /// device, and for 0 bytes. A link joins the two devices.
  Picoseconds transfer_ps(TensorId tensor, DeviceId from, DeviceId to) const {
    if (from == to) return 0;
    return transfer_ps(tensor,
                       speed_class_[link_end_[from.index()] * link_ends_ + link_end_[to.index()]]);
  }
  Picoseconds transfer_ps(TensorId tensor, std::size_t speed_class) const {
    return transfer_ps_[tensor.index() * speed_classes_ + speed_class];
  }

 private:
  void find_kinds(const Graph& graph, const Topology& topology);
  void fill_ops(const Graph& graph, const Topology& topology, const AllowedDevices& allowed);
  void fill_transfers(const Graph& graph, const Topology& topology);
  void check_horizon(const Graph& graph) const;

  std::size_t devices_, kinds_ = 0, speed_classes_, link_ends_;
  std::vector<std::uint32_t> kind_;  // by device
  std::vector<DeviceId> first_of_kind_;
  std::vector<Picoseconds> op_ps_;          // op * kinds + kind
  std::vector<Picoseconds> transfer_ps_;    // tensor * speed classes + speed class
  std::vector<std::uint32_t> link_end_;     // by device
  std::vector<std::uint32_t> speed_class_;  // from * link ends + to; 0 where there is no link
};

}  // namespace placer

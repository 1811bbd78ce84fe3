#pragma once

#include <optional>
#include <vector>

#include "placer/base/ids.hpp"
#include "placer/base/units.hpp"
#include "placer/model/graph.hpp"
#include "placer/model/topology.hpp"

namespace placer {

/// The device's peak for what the op does: the one for the type of its first output (float32
/// without one), and the one for tf32, where the device has it, for float32 products, attention and
/// recurrent cells. Empty where the device has no such peak.
std::optional<double> peak_flops_per_second(const Op& op, const Device& device);

/// Filled tables: the time of each op on each device and of each tensor over each link.
class CostModel {
 public:
  /// `allowed[op * devices + device]`: where each op may be placed. An op's own seconds win (device
  /// name, then type), else the roofline
  ///   launch + max(flops / (peak * efficiency), bytes / (bandwidth * efficiency)).
  /// Throws Error for an op without a cost on an allowed device, and for times so long that a step
  /// could overflow: the longest time of each op plus the longest transfer of each tensor to each
  /// device is at most 9e6 s.
  CostModel(const Graph& graph, const Topology& topology, const std::vector<char>& allowed);

  /// The time of an op on a device where it may be placed.
  Picoseconds op_ps(OpId op, DeviceId device) const {
    return op_ps_[op.index() * devices_ + device.index()];
  }
  /// The time of a transfer, not counting the wait for channels. It is 0 on one and the same
  /// device, and for 0 bytes. The two devices have a route.
  Picoseconds transfer_ps(TensorId tensor, DeviceId from, DeviceId to) const {
    if (from == to) return 0;
    return transfer_ps_[tensor.index() * speed_classes_ +
                        speed_class_[from.index() * devices_ + to.index()]];
  }

 private:
  void fill_ops(const Graph& graph, const Topology& topology, const std::vector<char>& allowed);
  void fill_transfers(const Graph& graph, const Topology& topology);
  void check_horizon(const Graph& graph) const;

  std::size_t devices_, speed_classes_;
  std::vector<Picoseconds> op_ps_;
  std::vector<Picoseconds> transfer_ps_;
  std::vector<std::size_t> speed_class_;  // 0 where there is no route
};

}  // namespace placer

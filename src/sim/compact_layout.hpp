#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "placer/model/problem.hpp"

namespace placer {

/// A problem as the simulator walks it. Ops have new numbers, their positions in the program order,
/// so that a walk through a step is a walk through memory; only ties are settled by the ids of the
/// file. Tensors that someone reads are renumbered by producer, then id; edges (tensor, consumer)
/// tensor by tensor.
struct CompactLayout {
  struct Tensor {
    std::int64_t bytes;  // 0: a control dependency
    std::uint32_t first_edge, end_edge;
  };
  /// How bytes get from one device to another; the channel where every one has one sender.
  struct Wire {
    std::uint32_t speed;    // the route's speed class
    std::uint32_t channel;  // the last one stands for "nothing shared" and is always free
  };

  static constexpr std::size_t kMostDevices = 64;  // of the fast paths, and so of wires

  explicit CompactLayout(const Problem& problem);

  std::size_t op_count() const { return id_of.size(); }
  Picoseconds op_ps(std::uint32_t op, std::uint32_t device) const {
    return op_times[op * time_columns + time_column[device]];
  }
  Picoseconds transfer_ps(std::uint32_t tensor, const Wire& wire) const {
    return transfer_times[tensor * speeds + wire.speed];
  }
  /// Where there are few enough devices for the fast paths.
  const Wire& wire(std::uint32_t from, std::uint32_t to) const {
    return wires[from * devices + to];
  }
  /// All channels that a transfer needs, whoever else sends over them; where there are so few
  /// devices.
  std::span<const std::uint32_t> channels_of(std::uint32_t from, std::uint32_t to) const {
    const std::size_t route = from * devices + to;
    return std::span(route_channels)
        .subspan(first_channel[route], first_channel[route + 1] - first_channel[route]);
  }
  /// Whether every device has one slot, and there are so few devices that a set of them fits in one
  /// word.
  bool one_slot_each() const { return one_slot_each_; }
  /// Whether every channel has one sender, and no route has more than one channel (channels of the
  /// same routes count as one).
  bool sole_senders() const { return sole_senders_; }
  /// Whether every op takes time wherever it may run, and so does every transfer of a tensor that
  /// has any bytes.
  bool all_takes_time() const { return all_takes_time_; }
  /// A time that no step exceeds.
  Picoseconds horizon_ps() const { return horizon_ps_; }
  /// Whether some device could not hold everything if it all came there.
  bool memory_may_be_short() const { return memory_may_be_short_; }

  std::uint32_t devices = 0;
  std::uint32_t channels = 0;  // the one that is always free included
  std::uint32_t speeds = 1;

  // By op of the layout.
  std::vector<std::uint32_t> id_of;  // in the file
  std::vector<std::uint32_t> group_of;
  std::vector<std::uint32_t> input_count;   // tensors
  std::vector<std::uint32_t> first_tensor;  // one more than ops: the end
  std::vector<std::uint32_t> first_input;   // one more than ops: the end
  std::vector<Picoseconds> op_times;        // op * time_columns + column
  std::vector<std::int64_t> op_bytes;       // parameters and what the start allocates
  std::vector<std::int64_t> start_bytes;    // that its start allocates: outputs, temporary memory
  std::vector<std::int64_t> end_bytes;      // of these, what its end frees, whoever reads it

  std::vector<std::uint32_t> op_of;        // by id in the file
  std::vector<std::uint32_t> sources;      // ops without inputs, by id in the file
  std::vector<std::uint32_t> time_column;  // by device; devices of equal times share one
  std::uint32_t time_columns = 0;

  std::vector<Tensor> tensors;
  std::vector<std::uint32_t> producer;        // by tensor
  std::vector<char> keep;                     // by tensor
  std::vector<std::uint32_t> tensor_id;       // by tensor: in the file
  std::vector<Picoseconds> transfer_times;    // tensor * speeds + speed class
  std::vector<std::uint32_t> edge_consumers;  // by edge
  std::vector<std::uint32_t> inputs;          // tensors, op by op, from first_input

  std::vector<Wire> wires;                   // from * devices + to
  std::vector<std::uint32_t> first_channel;  // from * devices + to, and one more: the end
  std::vector<std::uint32_t> route_channels;
  std::vector<std::int64_t> capacity_bytes;  // by device

 private:
  void number_ops(const Problem& problem);
  void fill_times(const Problem& problem);
  void number_tensors(const Problem& problem);
  void fill_inputs();
  void find_wires(const Topology& topology);
  void add_channel(std::uint32_t channel);
  void fill_transfer_times(const Problem& problem);

  bool one_slot_each_ = false, sole_senders_ = true, all_takes_time_ = true;
  Picoseconds horizon_ps_ = 0;
  bool memory_may_be_short_;
};

}  // namespace placer

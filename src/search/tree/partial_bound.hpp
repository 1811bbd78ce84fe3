#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "placer/model/problem.hpp"
#include "search/groups/memory_fit.hpp"
#include "search/joins/join_region.hpp"
#include "search/joins/one_machine.hpp"
#include "search/tree/block_graph.hpp"

namespace placer {

/// A lower bound on the step time of all placements that have some groups on given devices and the
/// others anywhere, in whatever order devices take their ops: over paths, which pay for transfers
/// that are certain, and over what each device and channel has to do for certain. It is the same
/// where identical devices change places. Working it out takes about as long as an evaluation.
class PartialBound {
 public:
  PartialBound(const Problem& problem, const MemoryFit& fit);

  void place(GroupId group, DeviceId device);
  void take_back(GroupId group);
  /// Of the placements with the groups that have a place, or at least `enough_ps` of it.
  Picoseconds step_ps(Picoseconds enough_ps);

 private:
  using Column = std::uint32_t;  // of devices_

  using Block = BlockGraph::Block;

  /// What passes before blocks start, or after they end, and with their own time.
  struct Times {
    std::vector<Picoseconds> own_ps, through_ps;  // block * width + column
    std::vector<Picoseconds> least_through_ps;    // by block
  };

  /// Of a tensor to the device of a column.
  struct Sent {
    TensorId tensor;
    Column to;
    Picoseconds tail_ps;
    friend auto operator<=>(const Sent&, const Sent&) = default;
  };

  struct Job {
    std::size_t machine;  // the column of a device, or a channel
    MachineJob job;
  };

  void choose_devices();
  void sweep(Block block, Toward toward, Times& times);
  Picoseconds through_paths() const;
  Picoseconds through_devices(Picoseconds enough_ps);
  Picoseconds through_channels(Picoseconds enough_ps);
  void add_transfers(Block block);
  Picoseconds busiest_ps(Picoseconds enough_ps);
  std::size_t at(Block block, Column column) const { return block * width_ + column; }
  Column column_of(GroupId placed) const { return columns_of_[placed.index()].front(); }

  const Problem& problem_;
  const MemoryFit& fit_;
  BlockGraph blocks_;
  std::vector<std::vector<Block>> blocks_of_;       // by group
  std::vector<Picoseconds> least_sent_ps_;          // by tensor: between any two devices
  std::vector<std::optional<DeviceId>> device_of_;  // by group
  std::vector<std::size_t> groups_on_;              // by device
  std::vector<DeviceId> devices_;                   // with groups, and the next of each kind
  std::vector<std::vector<Column>> columns_of_;     // by group: of the devices where it may be
  std::size_t width_;
  Times heads_, tails_;
  std::vector<Job> jobs_;
  std::vector<Sent> sent_;
  OneMachine machine_;
};

}  // namespace placer

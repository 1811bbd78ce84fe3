#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "placer/model/problem.hpp"
#include "search/groups/memory_fit.hpp"

namespace placer {

/// Small scheduling problems as tables, in ticks: the largest time that divides
/// all others. Transfers do not wait for each other. Alike devices between
/// which nothing takes time are one machine with all their slots.
class ScheduleModel {
 public:
  using Ticks = std::int64_t;
  using Cost = __int128;  // a price times ticks
  static constexpr Ticks kBarred = -1;
  static constexpr std::size_t kMostOps = 500;
  static constexpr std::size_t kMostMachines = 16;

  struct Input {
    std::size_t producer, tensor;
  };

  ScheduleModel(const Problem& problem, const MemoryFit& fit);

  /// Whether there are few enough ops, machines and transfers for tables, and for the states of a
  /// search.
  static bool is_small(const Problem& problem);

  Picoseconds tick_ps() const { return tick_ps_; }
  std::size_t ops() const { return inputs_.size(); }
  std::size_t machines() const { return slots_.size(); }
  std::size_t tensors() const { return producer_.size(); }
  std::size_t slots(std::size_t machine) const { return slots_[machine]; }
  /// Whether machine m is device m; if not, there is one machine, made of all devices.
  bool machines_are_devices() const { return machines_are_devices_; }
  /// The first machine that is like this one. Renaming machines that are alike changes no schedule.
  std::size_t first_alike(std::size_t machine) const { return alike_[machine]; }

  /// How long the op takes on the machine; kBarred where it may not go.
  Ticks work(std::size_t op, std::size_t machine) const { return work_[op * machines() + machine]; }
  /// At least so much time passes in the step after the op's end on the machine.
  Ticks tail(std::size_t op, std::size_t machine) const {
    return tails_[op * machines() + machine];
  }
  Ticks transfer(std::size_t tensor, std::size_t from, std::size_t to) const {
    return transfers_[(tensor * machines() + from) * machines() + to];
  }
  const std::vector<Input>& inputs(std::size_t op) const { return inputs_[op]; }
  std::size_t producer(std::size_t tensor) const { return producer_[tensor]; }
  const std::vector<std::size_t>& consumers(std::size_t tensor) const { return consumers_[tensor]; }
  std::size_t group(std::size_t op) const { return group_[op]; }
  std::size_t groups() const { return group_count_; }
  const std::vector<std::size_t>& topological() const { return topological_; }

  /// All ops, those with the largest least tail first.
  const std::vector<std::size_t>& by_tail() const { return by_tail_; }
  /// Positions in by_tail() that cut it into stretches, so few that each can be looked at.
  const std::vector<std::size_t>& tail_steps() const { return tail_steps_; }
  Ticks least_tail(std::size_t op) const { return least_tails_[op]; }
  /// The price of one tick of a slot of the machine.
  std::int64_t price(std::size_t machine) const { return prices_[machine]; }
  /// The price of a byte that a group holds on the machine throughout; 0 where memory is ample.
  std::int64_t byte_price(std::size_t machine) const { return byte_prices_[machine]; }
  /// What the op's group holds throughout, counted once for the group.
  std::int64_t kept_bytes(std::size_t op, std::size_t machine) const {
    return kept_bytes_[op * machines() + machine];
  }
  std::int64_t room_bytes(std::size_t machine) const { return room_bytes_[machine]; }
  /// The least price of the op's work and memory over all machines.
  Cost cost(std::size_t op) const { return costs_[op]; }

 private:
  static bool can_merge_devices(const Problem& problem, const MemoryFit& fit);
  void fill_machines(const Problem& problem);
  void fill_ops(const Problem& problem, const MemoryFit& fit);
  void fill_tensors(const Problem& problem);
  void fill_prices(const Problem& problem, const MemoryFit& fit);
  void fill_costs(const Problem& problem, const MemoryFit& fit);

  Picoseconds tick_ps_ = 1;
  bool machines_are_devices_ = true;
  std::size_t group_count_ = 0;
  std::vector<std::size_t> slots_, alike_;           // by machine
  std::vector<Ticks> work_, tails_;                  // op * machines + machine
  std::vector<Ticks> transfers_;                     // tensor, from, to
  std::vector<std::vector<Input>> inputs_;           // by op
  std::vector<std::size_t> producer_;                // by tensor
  std::vector<std::vector<std::size_t>> consumers_;  // by tensor
  std::vector<std::size_t> group_, topological_, by_tail_, tail_steps_;
  std::vector<Ticks> least_tails_;
  std::vector<std::int64_t> prices_, byte_prices_, room_bytes_;  // by machine
  std::vector<std::int64_t> kept_bytes_;                         // op * machines + machine
  std::vector<Cost> costs_;
};

}  // namespace placer

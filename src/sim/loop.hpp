#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "placer/sim/simulator.hpp"
#include "sim/layout.hpp"
#include "sim/memory_meter.hpp"
#include "sim/successor_ranks.hpp"

namespace placer {

/// The event loop behind Simulator: rounds within instants, as the model's rules say. All memory is
/// reserved when built.
class Loop {
 public:
  Loop(const Problem& problem, Order order);

  Score evaluate(const Placement& placement, const Sequences* sequences, Schedule* schedule);
  const Problem& problem() const { return problem_; }
  Order order() const { return order_; }

 private:
  struct Keyed {  // a ready op or an event; smaller first
    std::int64_t key;
    std::uint32_t id;
  };
  struct DeviceState {
    std::size_t first = 0, end = 0;  // its part of `queue_` (heaps) or of `strict_` (sequences)
    std::int64_t free_slots = 0;
    std::uint32_t record = 0;  // while an op's tensor is sent: the transfer to here
    bool dirty = false;        // has a new ready op or a free slot
  };
  struct Record {  // one transfer and the copy that it leaves
    std::uint32_t tensor, device;
    std::uint32_t waiting = 0;  // consumers on `device` that have not ended
  };
  enum class EventKind : std::uint32_t { kOpEnds, kArrives, kBegins };

  bool strict() const { return order_ == Order::kProgram || order_ == Order::kGiven; }
  bool by_rank() const {
    return order_ == Order::kPriority || order_ == Order::kPct || order_ == Order::kMsr;
  }
  void reset(const Placement& placement, const Sequences* sequences);
  void partition_devices();
  void fill_sequences(const Placement& placement, const Sequences* sequences);

  void take_effect();
  void end_op(std::uint32_t op);
  void send(std::uint32_t tensor, std::uint32_t from);
  void arrive(std::uint32_t record);
  void deliver(std::uint32_t op);
  void release_inputs(std::uint32_t op);
  void serve_requests();
  void dispatch();
  bool take_ready(DeviceState& device, std::uint32_t& op);
  void rank_ready_ops();
  auto later() const;  // of ready ops
  void start(std::uint32_t op, std::uint32_t device);

  void add_event(Picoseconds time, EventKind kind, std::uint32_t id);
  void mark_dirty(std::uint32_t device);
  void finish_schedule(const Score& score);
  Score score() const;

  const Problem problem_;
  const Order order_;
  const Layout layout_;

  std::vector<std::uint32_t> device_of_, missing_;
  std::vector<Picoseconds> ranks_;
  std::vector<DeviceState> devices_;
  MemoryMeter memory_;
  std::vector<Keyed> queue_;           // ready ops: a heap for each device, in its own part
  std::vector<Picoseconds> ready_ps_;  // of each op, under pct and msr
  std::optional<SuccessorRanks> successor_ranks_;  // under msr
  std::vector<bool> idle_;                         // devices on which no ready op waits
  std::vector<OpId> strict_;                       // sequences, one device after the other
  std::vector<OpId> by_rank_;
  std::vector<Keyed> events_;         // a heap by time
  std::vector<std::uint32_t> batch_;  // events of this round
  std::vector<Record> records_;
  std::vector<std::uint32_t> requests_;  // records of this round
  std::vector<std::uint32_t> edge_record_, tensor_references_;
  std::vector<Picoseconds> channel_free_at_;
  std::vector<std::uint32_t> dirty_, receivers_;
  Picoseconds now_ = 0;
  std::size_t ended_ = 0;
  Schedule* schedule_ = nullptr;
};

}  // namespace placer

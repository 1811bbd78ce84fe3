#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "placer/sim/simulator.hpp"
#include "sim/channel_times.hpp"
#include "sim/compact_layout.hpp"
#include "sim/memory_meter.hpp"
#include "sim/ready_queue.hpp"
#include "sim/successor_queues.hpp"

namespace placer {

/// The event loop behind Simulator: rounds within instants, as the model's rules say. All memory is
/// reserved when built.
class Loop {
 public:
  /// `layout` is that of `problem`, and has to outlive this object.
  Loop(const Problem& problem, const CompactLayout& layout, Order order);

  Score evaluate(const Placement& placement, const Sequences* sequences, Schedule* schedule);
  const Problem& problem() const { return problem_; }
  Order order() const { return order_; }

 private:
  struct Ready {  // an op that may start; the smaller key first
    Picoseconds key;
    std::uint32_t id;  // in the file
  };
  enum class EventKind : std::uint32_t { kOpEnds, kArrives, kBegins };
  struct Event {
    Picoseconds time_ps;
    EventKind kind;
    std::uint32_t id;  // of an op, or of a record
  };
  struct DeviceState {
    ReadyQueue<Ready> ready;
    std::size_t next = 0, end = 0;  // what is left of its part of `strict_`
    std::int64_t free_slots = 0;
    bool dirty = false;  // has a new ready op or a free slot
  };
  struct Record {  // one transfer and the copy that it leaves
    std::uint32_t tensor, device;
    std::uint32_t waiting = 0;  // consumers on `device` that have not ended
  };
  struct TensorState {
    std::int64_t bytes;
    std::uint32_t device;      // of the producer
    std::uint32_t references;  // consumers beside the producer and transfers that have not ended
    std::uint32_t first_record, end_record;
  };

  bool strict() const { return order_ == Order::kProgram || order_ == Order::kGiven; }
  bool by_rank() const {
    return order_ == Order::kPriority || order_ == Order::kPct || order_ == Order::kMsr;
  }
  void reset(const Placement& placement, const Sequences* sequences);
  void place(const Placement& placement);
  void partition_devices();
  void fill_sequences(const Sequences* sequences);
  void fill_ranks();

  void take_effect();
  void end_op(std::uint32_t op);
  void send(std::uint32_t tensor, std::uint32_t from);
  void arrive(std::uint32_t record);
  void deliver(std::uint32_t op);
  void make_ready(std::uint32_t op);
  void release_inputs(std::uint32_t op);
  void release(std::uint32_t tensor);
  void serve_requests();
  Picoseconds transfer_ps(std::uint32_t tensor, std::uint32_t from, std::uint32_t to) const {
    const TensorId id(layout_.tensor_id[tensor]);
    return problem_.costs().transfer_ps(id, DeviceId(from), DeviceId(to));
  }
  void serve(std::uint32_t request);
  std::size_t dispatch();
  std::optional<std::uint32_t> take_ready(std::uint32_t device);
  auto later() const;  // of ready ops
  void start(std::uint32_t op, std::uint32_t device);

  void add_event(const Event& event);
  void mark_dirty(std::uint32_t device);
  void finish_schedule(const Score& score);
  Score score() const;

  const Problem problem_;
  const CompactLayout& layout_;
  const Order order_;

  std::vector<RunningOp> ops_;  // by op
  std::vector<DeviceState> devices_;
  MemoryMeter memory_;
  std::vector<Ready> ready_memory_;     // of the devices' queues
  std::vector<Picoseconds> ranks_;      // by op
  std::vector<Picoseconds> ready_ps_;   // by op, under pct and msr
  std::optional<SuccessorQueues> msr_;  // in place of the devices' queues
  std::vector<std::uint32_t> strict_;   // sequences, one device after the other
  std::vector<std::uint32_t> by_rank_;
  std::unique_ptr<Event[]> event_memory_;  // room for all that a step has
  ReadyQueue<Event> events_;               // by time
  std::vector<TensorState> tensors_;
  std::vector<Record> records_;
  std::vector<std::uint32_t> requests_;  // records of this round
  ChannelTimes channel_free_at_;
  std::vector<std::uint32_t> dirty_;
  Picoseconds now_ = 0;
  std::size_t ended_ = 0;
  Schedule* schedule_ = nullptr;
};

}  // namespace placer

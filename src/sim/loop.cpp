#include "sim/loop.hpp"

#include <algorithm>
#include <numeric>

#include "sim/ranks.hpp"

namespace placer {
namespace {

constexpr auto kLater = [](const auto& a, const auto& b) { return a.time_ps > b.time_ps; };

/// Ends of ops, and begins and arrivals of transfers.
std::size_t most_events(const CompactLayout& layout) {
  return layout.op_count() + 2 * layout.edge_consumers.size();
}

}  // namespace

Loop::Loop(const Problem& problem, const CompactLayout& layout, Order order)
    : problem_(problem),
      layout_(layout),
      order_(order),
      ops_(layout.op_count()),
      devices_(layout.devices),
      memory_(layout.devices),
      ready_memory_(layout.op_count()),
      ranks_(layout.op_count()),
      ready_ps_(layout.op_count()),
      strict_(layout.op_count()),
      by_rank_(layout.op_count()),
      event_memory_(std::make_unique_for_overwrite<Event[]>(most_events(layout))),
      tensors_(layout.tensors.size()),
      channel_free_at_(problem.topology().channel_count(), layout.edge_consumers.size()) {
  if (order_ == Order::kMsr) {
    msr_.emplace(layout, SuccessorQueues::State{ops_, ranks_, ready_ps_});
  }
  std::iota(by_rank_.begin(), by_rank_.end(), 0U);
  records_.reserve(layout.edge_consumers.size());
  requests_.reserve(layout.edge_consumers.size());
  dirty_.reserve(devices_.size());
}

Score Loop::evaluate(const Placement& placement, const Sequences* sequences, Schedule* schedule) {
  schedule_ = schedule;
  reset(placement, sequences);
  Watch watch(problem_.deadline());
  while (true) {
    watch.check(1 + dispatch());
    if (events_.empty()) return Score::deadlock();
    if (events_.front().time_ps > now_) {
      memory_.close_instant();
      now_ = events_.front().time_ps;
    }
    take_effect();
    if (ended_ == ops_.size()) break;
    serve_requests();
  }
  const Score result = score();
  if (schedule_ != nullptr) finish_schedule(result);
  return result;
}

void Loop::reset(const Placement& placement, const Sequences* sequences) {
  now_ = 0;
  ended_ = 0;
  events_ = ReadyQueue<Event>({event_memory_.get(), most_events(layout_)}, {});
  records_.clear();
  requests_.clear();
  dirty_.clear();
  memory_.reset(schedule_ != nullptr || layout_.memory_may_be_short());
  channel_free_at_.clear();
  place(placement);
  partition_devices();
  if (by_rank()) fill_ranks();
  if (msr_) msr_->clear();
  if (strict()) fill_sequences(sequences);
  if (schedule_ != nullptr) {
    *schedule_ = {};
    schedule_->ops.resize(ops_.size());
    schedule_->busy_ps.assign(devices_.size(), 0);
  }
  for (const std::uint32_t op : layout_.sources) make_ready(op);
}

void Loop::place(const Placement& placement) {
  for (std::size_t d = 0; d < devices_.size(); ++d) {
    devices_[d] = {};
    devices_[d].free_slots = problem_.topology().devices()[d].slots;
  }
  for (std::size_t op = 0; op < ops_.size(); ++op) {
    const std::size_t device = placement[GroupId(layout_.group_of[op])].index();
    ops_[op] = {static_cast<std::uint32_t>(device), layout_.input_count[op]};
    memory_.hold_always(device, layout_.op_bytes[op] - layout_.start_bytes[op]);
    ++devices_[device].end;
  }
}

/// Gives each device a part of ready_memory_ and strict_ as long as its ops.
void Loop::partition_devices() {
  std::size_t first = 0;
  for (DeviceState& device : devices_) {
    const std::size_t count = device.end;
    device.ready = ReadyQueue<Ready>(std::span(ready_memory_).subspan(first, count), {});
    device.next = device.end = first;
    first += count;
  }
}

void Loop::fill_ranks() {
  fill_upward_ranks(
      layout_, [this](std::uint32_t op) { return ops_[op].device; },
      [this](std::uint32_t tensor, std::uint32_t from, std::uint32_t to) {
        return transfer_ps(tensor, from, to);
      },
      ranks_);
}

void Loop::fill_sequences(const Sequences* sequences) {
  if (order_ == Order::kGiven && sequences != nullptr) {
    for (std::size_t d = 0; d < devices_.size(); ++d) {
      for (const OpId id : (*sequences)[d]) strict_[devices_[d].end++] = layout_.op_of[id.index()];
    }
    return;
  }
  if (order_ == Order::kGiven) {
    fill_ranks();
    std::ranges::sort(by_rank_, [this](std::uint32_t a, std::uint32_t b) {
      return ranks_[a] != ranks_[b] ? ranks_[a] > ranks_[b] : a < b;
    });
  }
  for (const std::uint32_t op : by_rank_) strict_[devices_[ops_[op].device].end++] = op;
}

/// Everything that has ended by now, before any device takes an op. None of it adds an event.
void Loop::take_effect() {
  while (!events_.empty() && events_.front().time_ps == now_) {
    const Event event = events_.pop(kLater);
    switch (event.kind) {
      case EventKind::kOpEnds:
        end_op(event.id);
        break;
      case EventKind::kArrives:
        arrive(event.id);
        break;
      case EventKind::kBegins:
        memory_.hold(records_[event.id].device, layout_.tensors[records_[event.id].tensor].bytes);
        break;
    }
  }
}

void Loop::end_op(std::uint32_t op) {
  const std::uint32_t device = ops_[op].device;
  ++ended_;
  ++devices_[device].free_slots;
  mark_dirty(device);
  memory_.free(device, layout_.end_bytes[op]);
  for (std::uint32_t t = layout_.first_tensor[op]; t < layout_.first_tensor[op + 1]; ++t) {
    send(t, device);
  }
  if (memory_.is_on()) release_inputs(op);
}

auto Loop::later() const {
  return [this](const Ready& a, const Ready& b) {
    if (a.key != b.key) return a.key > b.key;
    if (order_ != Order::kPct) return a.id > b.id;
    const Picoseconds since_a = ready_ps_[layout_.op_of[a.id]];
    const Picoseconds since_b = ready_ps_[layout_.op_of[b.id]];
    return since_a != since_b ? since_a > since_b : a.id > b.id;
  };
}

/// One more input of `op` is on its device.
void Loop::deliver(std::uint32_t op) {
  if (--ops_[op].missing == 0) {
    make_ready(op);
  } else if (msr_) {
    msr_->delivered(op);
  }
}

void Loop::make_ready(std::uint32_t op) {
  const std::uint32_t device = ops_[op].device;
  mark_dirty(device);
  if (strict()) return;  // the sequence's head looks at what is missing
  ready_ps_[op] = now_;
  if (msr_) return msr_->push(op);
  devices_[device].ready.push({by_rank() ? -ranks_[op] : now_, layout_.id_of[op]}, later());
}

/// How many ready ops were compared for it.
std::size_t Loop::dispatch() {
  if (msr_) msr_->begin_round();
  for (const std::uint32_t device : dirty_) {
    DeviceState& state = devices_[device];
    state.dirty = false;
    while (state.free_slots > 0) {
      const std::optional<std::uint32_t> op = take_ready(device);
      if (!op) break;
      start(*op, device);
    }
  }
  dirty_.clear();
  return msr_ ? msr_->take_steps() : 0;
}

std::optional<std::uint32_t> Loop::take_ready(std::uint32_t device) {
  if (msr_) return msr_->pop(device);
  DeviceState& state = devices_[device];
  if (strict()) {
    if (state.next == state.end || ops_[strict_[state.next]].missing > 0) return std::nullopt;
    return strict_[state.next++];
  }
  if (state.ready.empty()) return std::nullopt;
  return layout_.op_of[state.ready.pop(later()).id];
}

void Loop::start(std::uint32_t op, std::uint32_t device) {
  --devices_[device].free_slots;
  memory_.hold(device, layout_.start_bytes[op]);
  const Picoseconds end_ps = now_ + layout_.op_ps(op, device);
  add_event({end_ps, EventKind::kOpEnds, op});
  if (schedule_ != nullptr) {
    const OpId id(layout_.id_of[op]);
    schedule_->ops[id.index()] = {id, DeviceId(device), now_, end_ps};
    schedule_->busy_ps[device] += end_ps - now_;
  }
}

void Loop::add_event(const Event& event) { events_.push(event, kLater); }

void Loop::mark_dirty(std::uint32_t device) {
  if (devices_[device].dirty) return;
  devices_[device].dirty = true;
  dirty_.push_back(device);
}

Score Loop::score() const {
  Score result{0, now_};
  for (std::size_t d = 0; d < devices_.size(); ++d) {
    result.overflow_bytes +=
        std::max<std::int64_t>(0, memory_.peak_bytes(d) - layout_.capacity_bytes[d]);
  }
  return result;
}

void Loop::finish_schedule(const Score& score) {
  for (std::size_t d = 0; d < devices_.size(); ++d) {
    schedule_->peak_bytes.push_back(memory_.peak_bytes(d));
  }
  schedule_->score = score;
}

}  // namespace placer

#include "sim/loop.hpp"

#include <algorithm>

#include "sim/ranks.hpp"

namespace placer {
namespace {

constexpr std::uint32_t kKindShift = 30;  // an event's id: its kind above, an op or record below
constexpr std::uint32_t kIdMask = (1U << kKindShift) - 1;

constexpr auto kLater = [](const auto& a, const auto& b) {
  return a.key != b.key ? a.key > b.key : a.id > b.id;
};

}  // namespace

Loop::Loop(const Problem& problem, Order order)
    : problem_(problem),
      order_(order),
      layout_(problem.graph()),
      device_of_(problem.op_count()),
      missing_(problem.op_count()),
      ranks_(problem.op_count()),
      devices_(problem.device_count()),
      memory_(problem.device_count()),
      queue_(problem.op_count()),
      ready_ps_(problem.op_count()),
      idle_(problem.device_count()),
      strict_(problem.op_count()),
      by_rank_(problem.graph().program_order()),
      edge_record_(layout_.edges().size()),
      tensor_references_(layout_.tensors().size()),
      channel_free_at_(problem.topology().channel_names().size()) {
  if (order_ == Order::kMsr) successor_ranks_.emplace(problem.graph());
  events_.reserve(problem.op_count() + 2 * layout_.edges().size());
  batch_.reserve(events_.capacity());
  records_.reserve(layout_.edges().size());
  requests_.reserve(layout_.edges().size());
  dirty_.reserve(devices_.size());
  receivers_.reserve(devices_.size());
}

Score Loop::evaluate(const Placement& placement, const Sequences* sequences, Schedule* schedule) {
  schedule_ = schedule;
  reset(placement, sequences);
  while (true) {
    dispatch();
    if (events_.empty()) return Score::deadlock();
    if (events_.front().key > now_) {
      memory_.close_instant();
      now_ = events_.front().key;
    }
    take_effect();
    if (ended_ == layout_.ops().size()) break;
    serve_requests();
  }
  const Score result = score();
  if (schedule_ != nullptr) finish_schedule(result);
  return result;
}

void Loop::reset(const Placement& placement, const Sequences* sequences) {
  now_ = 0;
  ended_ = 0;
  events_.clear();
  records_.clear();
  requests_.clear();
  dirty_.clear();
  memory_.reset();
  std::ranges::fill(channel_free_at_, 0);
  for (std::size_t d = 0; d < devices_.size(); ++d) {
    devices_[d] = {};
    devices_[d].free_slots = problem_.topology().devices()[d].slots;
  }
  for (const OpId op : IdRange<OpId>(device_of_.size())) {
    const DeviceId device = placement[problem_.groups().of(op)];
    device_of_[op.index()] = static_cast<std::uint32_t>(device.index());
    missing_[op.index()] = layout_.ops()[op.index()].inputs;
    memory_.hold_always(device.index(), layout_.ops()[op.index()].params_bytes);
  }
  if (schedule_ != nullptr) {
    *schedule_ = {};
    schedule_->ops.resize(device_of_.size());
    schedule_->busy_ps.assign(devices_.size(), 0);
  }
  partition_devices();
  if (by_rank()) fill_upward_ranks(problem_, placement, ranks_);
  if (strict()) fill_sequences(placement, sequences);
  for (std::uint32_t op = 0; op < missing_.size(); ++op) {
    if (missing_[op] == 0) {
      ++missing_[op];
      deliver(op);
    }
  }
}

/// Gives each device a part of queue_ and strict_ as long as its ops.
void Loop::partition_devices() {
  for (const std::uint32_t device : device_of_) ++devices_[device].end;
  std::size_t first = 0;
  for (DeviceState& device : devices_) {
    device.first = first;
    first += device.end;
    device.end = device.first;
  }
}

void Loop::fill_sequences(const Placement& placement, const Sequences* sequences) {
  if (order_ == Order::kGiven && sequences != nullptr) {
    for (std::size_t d = 0; d < devices_.size(); ++d) {
      for (const OpId op : (*sequences)[d]) strict_[devices_[d].end++] = op;
    }
    return;
  }
  if (order_ == Order::kGiven) {
    fill_upward_ranks(problem_, placement, ranks_);
    sort_by_rank(problem_.graph(), ranks_, by_rank_);
  }
  for (const OpId op : by_rank_) strict_[devices_[device_of_[op.index()]].end++] = op;
}

/// Everything that has ended by now, before any device takes an op.
void Loop::take_effect() {
  batch_.clear();
  while (!events_.empty() && events_.front().key == now_) {
    batch_.push_back(events_.front().id);
    std::ranges::pop_heap(events_, kLater);
    events_.pop_back();
  }
  for (const std::uint32_t event : batch_) {
    const std::uint32_t id = event & kIdMask;
    switch (static_cast<EventKind>(event >> kKindShift)) {
      case EventKind::kOpEnds:
        end_op(id);
        break;
      case EventKind::kArrives:
        arrive(id);
        break;
      case EventKind::kBegins:
        memory_.hold(records_[id].device, layout_.tensors()[records_[id].tensor].bytes);
        break;
    }
  }
}

void Loop::end_op(std::uint32_t op) {
  const std::uint32_t device = device_of_[op];
  ++ended_;
  ++devices_[device].free_slots;
  mark_dirty(device);
  memory_.free(device, layout_.ops()[op].temp_bytes);
  for (const TensorId output : problem_.graph().outputs(OpId(op))) {
    send(static_cast<std::uint32_t>(output.index()), device);
  }
  release_inputs(op);
}

auto Loop::later() const {
  return [this](const Keyed& a, const Keyed& b) {
    if (a.key != b.key) return a.key > b.key;
    if (order_ != Order::kPct && order_ != Order::kMsr) return a.id > b.id;
    if (ranks_[a.id] != ranks_[b.id]) return ranks_[a.id] < ranks_[b.id];
    if (ready_ps_[a.id] != ready_ps_[b.id]) return ready_ps_[a.id] > ready_ps_[b.id];
    return a.id > b.id;
  };
}

/// One more input of `op` is on its device.
void Loop::deliver(std::uint32_t op) {
  if (--missing_[op] > 0) return;
  const std::uint32_t device = device_of_[op];
  mark_dirty(device);
  if (strict()) return;  // the sequence's head looks at missing_
  DeviceState& state = devices_[device];
  ready_ps_[op] = now_;
  queue_[state.end++] = {by_rank() ? -ranks_[op] : now_, op};
  std::push_heap(queue_.begin() + static_cast<std::ptrdiff_t>(state.first),
                 queue_.begin() + static_cast<std::ptrdiff_t>(state.end), later());
}

/// Under msr: the successor ranks of what waits on the devices that may take an op now.
void Loop::rank_ready_ops() {
  for (std::size_t d = 0; d < devices_.size(); ++d) {
    idle_[d] = devices_[d].first == devices_[d].end;
  }
  for (const std::uint32_t device : dirty_) {
    const DeviceState& state = devices_[device];
    if (state.free_slots == 0) continue;
    const auto first = queue_.begin() + static_cast<std::ptrdiff_t>(state.first);
    const auto end = queue_.begin() + static_cast<std::ptrdiff_t>(state.end);
    for (auto ready = first; ready != end; ++ready) {
      ready->key = -successor_ranks_->rank(ready->id, {device_of_, missing_, idle_});
    }
    std::make_heap(first, end, later());
  }
}

void Loop::dispatch() {
  if (successor_ranks_) rank_ready_ops();
  for (const std::uint32_t device : dirty_) {
    DeviceState& state = devices_[device];
    state.dirty = false;
    std::uint32_t op = 0;
    while (state.free_slots > 0 && take_ready(state, op)) start(op, device);
  }
  dirty_.clear();
}

bool Loop::take_ready(DeviceState& device, std::uint32_t& op) {
  if (device.first == device.end) return false;
  if (strict()) {
    op = static_cast<std::uint32_t>(strict_[device.first].index());
    if (missing_[op] > 0) return false;
    ++device.first;
    return true;
  }
  std::pop_heap(queue_.begin() + static_cast<std::ptrdiff_t>(device.first),
                queue_.begin() + static_cast<std::ptrdiff_t>(device.end), later());
  op = queue_[--device.end].id;
  return true;
}

void Loop::start(std::uint32_t op, std::uint32_t device) {
  const Layout::OpInfo& info = layout_.ops()[op];
  --devices_[device].free_slots;
  memory_.hold(device, info.temp_bytes + info.output_bytes);
  const Picoseconds duration = problem_.costs().op_ps(OpId(op), DeviceId(device));
  add_event(now_ + duration, EventKind::kOpEnds, op);
  if (schedule_ != nullptr) {
    schedule_->ops[op] = {OpId(op), DeviceId(device), now_, now_ + duration};
    schedule_->busy_ps[device] += duration;
  }
}

void Loop::add_event(Picoseconds time, EventKind kind, std::uint32_t id) {
  events_.push_back({time, static_cast<std::uint32_t>(kind) << kKindShift | id});
  std::ranges::push_heap(events_, kLater);
}

void Loop::mark_dirty(std::uint32_t device) {
  if (devices_[device].dirty) return;
  devices_[device].dirty = true;
  dirty_.push_back(device);
}

Score Loop::score() const {
  Score result{0, now_};
  for (std::size_t d = 0; d < devices_.size(); ++d) {
    result.overflow_bytes += std::max<std::int64_t>(
        0, memory_.peak_bytes(d) - problem_.topology().devices()[d].memory_bytes);
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

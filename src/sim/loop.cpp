#include "sim/loop.hpp"

#include <algorithm>

#include "sim/ranks.hpp"

namespace placer {
namespace {

constexpr std::uint32_t kKindShift = 30;  // an event's id: its kind above, an op or record below
constexpr std::uint32_t kIdMask = (1U << kKindShift) - 1;
constexpr std::uint32_t kLocal = ~0U;     // edge_record_: producer and consumer share a device
constexpr std::uint32_t kNoMemory = ~1U;  // edge_record_: a tensor of 0 bytes from elsewhere

constexpr auto kLater = [](const auto& a, const auto& b) {
  return a.key != b.key ? a.key > b.key : a.id > b.id;
};

DeviceId device_id(std::uint32_t device) { return DeviceId(device); }

}  // namespace

Simulator::Loop::Loop(const Problem& problem, Order order)
    : problem_(problem),
      order_(order),
      layout_(problem.graph()),
      program_position_(program_positions(problem.graph())),
      device_of_(problem.op_count()),
      missing_(problem.op_count()),
      ranks_(problem.op_count()),
      devices_(problem.device_count()),
      queue_(problem.op_count()),
      strict_(problem.op_count()),
      by_rank_(problem.graph().program_order()),
      edge_record_(layout_.edges().size()),
      tensor_references_(layout_.tensors().size()),
      channel_free_at_(problem.topology().channel_names().size()) {
  events_.reserve(problem.op_count() + 2 * layout_.edges().size());
  batch_.reserve(events_.capacity());
  records_.reserve(layout_.edges().size());
  requests_.reserve(layout_.edges().size());
  dirty_.reserve(devices_.size());
  touched_.reserve(devices_.size());
  receivers_.reserve(devices_.size());
}

Score Simulator::Loop::evaluate(const Placement& placement, const Sequences* sequences,
                                Schedule* schedule) {
  schedule_ = schedule;
  reset(placement, sequences);
  while (true) {
    dispatch();
    if (events_.empty()) return Score::deadlock();
    if (events_.front().key > now_) close_instant();
    take_effect();
    if (ended_ == layout_.ops().size()) break;
    serve_requests();
  }
  const Score result = score();
  if (schedule_ != nullptr) finish_schedule(result);
  return result;
}

void Simulator::Loop::reset(const Placement& placement, const Sequences* sequences) {
  now_ = 0;
  ended_ = 0;
  events_.clear();
  records_.clear();
  requests_.clear();
  dirty_.clear();
  touched_.clear();
  std::ranges::fill(channel_free_at_, 0);
  for (std::size_t d = 0; d < devices_.size(); ++d) {
    devices_[d] = {};
    devices_[d].free_slots = problem_.topology().devices()[d].slots;
  }
  for (const OpId op : IdRange<OpId>(device_of_.size())) {
    const DeviceId device = placement[problem_.groups().of(op)];
    device_of_[op.index()] = static_cast<std::uint32_t>(device.index());
    missing_[op.index()] = layout_.ops()[op.index()].inputs;
    devices_[device.index()].held_bytes += layout_.ops()[op.index()].params_bytes;
  }
  for (DeviceState& device : devices_) device.peak_bytes = device.held_bytes;
  if (schedule_ != nullptr) {
    *schedule_ = {};
    schedule_->ops.resize(device_of_.size());
    schedule_->busy_ps.assign(devices_.size(), 0);
  }
  partition_devices();
  if (order_ == Order::kPriority) fill_upward_ranks(problem_, placement, ranks_);
  if (strict()) fill_sequences(placement, sequences);
  for (std::uint32_t op = 0; op < missing_.size(); ++op) {
    if (missing_[op] == 0) {
      ++missing_[op];
      deliver(op);
    }
  }
}

/// Gives each device a part of queue_ and strict_ as long as its ops.
void Simulator::Loop::partition_devices() {
  for (const std::uint32_t device : device_of_) ++devices_[device].end;
  std::size_t first = 0;
  for (DeviceState& device : devices_) {
    device.first = first;
    first += device.end;
    device.end = device.first;
  }
}

void Simulator::Loop::fill_sequences(const Placement& placement, const Sequences* sequences) {
  if (order_ == Order::kGiven && sequences != nullptr) {
    for (std::size_t d = 0; d < devices_.size(); ++d) {
      for (const OpId op : (*sequences)[d]) strict_[devices_[d].end++] = op;
    }
    return;
  }
  if (order_ == Order::kGiven) {
    fill_upward_ranks(problem_, placement, ranks_);
    sort_by_rank(by_rank_, ranks_, program_position_);
  }
  for (const OpId op : by_rank_) strict_[devices_[device_of_[op.index()]].end++] = op;
}

/// Everything that has ended by now, before any device takes an op.
void Simulator::Loop::take_effect() {
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
        hold(records_[id].device, layout_.tensors()[records_[id].tensor].bytes);
        break;
    }
  }
}

void Simulator::Loop::end_op(std::uint32_t op) {
  const std::uint32_t device = device_of_[op];
  ++ended_;
  ++devices_[device].free_slots;
  mark_dirty(device);
  hold(device, -layout_.ops()[op].temp_bytes);
  for (const TensorId output : problem_.graph().outputs(OpId(op))) {
    send(static_cast<std::uint32_t>(output.index()), device);
  }
  release_inputs(op);
}

/// Gives a new tensor to its consumers here and requests its transfers, one for each other device.
void Simulator::Loop::send(std::uint32_t tensor, std::uint32_t from) {
  const Layout::TensorInfo& info = layout_.tensors()[tensor];
  std::uint32_t references = 0;
  receivers_.clear();
  for (std::uint32_t edge = info.first_edge; edge < info.end_edge; ++edge) {
    const std::uint32_t consumer = layout_.edges()[edge].consumer;
    const std::uint32_t to = device_of_[consumer];
    if (to == from || info.bytes == 0) {
      edge_record_[edge] = to == from ? kLocal : kNoMemory;
      references += to == from ? 1 : 0;
      deliver(consumer);
      continue;
    }
    if (std::ranges::find(receivers_, to) == receivers_.end()) {
      receivers_.push_back(to);
      devices_[to].record = static_cast<std::uint32_t>(records_.size());
      requests_.push_back(devices_[to].record);
      records_.push_back({tensor, to});
      ++references;
    }
    edge_record_[edge] = devices_[to].record;
    ++records_[devices_[to].record].waiting;
  }
  tensor_references_[tensor] = references;
  if (references == 0 && !info.keep) hold(from, -info.bytes);
}

void Simulator::Loop::arrive(std::uint32_t record) {
  const auto [tensor, device, waiting] = records_[record];
  const Layout::TensorInfo& info = layout_.tensors()[tensor];
  for (std::uint32_t edge = info.first_edge; edge < info.end_edge; ++edge) {
    const std::uint32_t consumer = layout_.edges()[edge].consumer;
    if (device_of_[consumer] == device) deliver(consumer);
  }
  if (--tensor_references_[tensor] == 0 && !info.keep) hold(device_of_[info.producer], -info.bytes);
}

/// One more input of `op` is on its device.
void Simulator::Loop::deliver(std::uint32_t op) {
  if (--missing_[op] > 0) return;
  const std::uint32_t device = device_of_[op];
  mark_dirty(device);
  if (strict()) return;  // the sequence's head looks at missing_
  DeviceState& state = devices_[device];
  queue_[state.end++] = {order_ == Order::kPriority ? -ranks_[op] : now_, op};
  std::push_heap(queue_.begin() + static_cast<std::ptrdiff_t>(state.first),
                 queue_.begin() + static_cast<std::ptrdiff_t>(state.end), kLater);
}

void Simulator::Loop::release_inputs(std::uint32_t op) {
  for (const std::uint32_t edge : layout_.input_edges(op)) {
    const std::uint32_t tensor = layout_.edges()[edge].tensor;
    const Layout::TensorInfo& info = layout_.tensors()[tensor];
    const std::uint32_t record = edge_record_[edge];
    if (record == kNoMemory) continue;
    if (record == kLocal) {
      if (--tensor_references_[tensor] == 0 && !info.keep) hold(device_of_[op], -info.bytes);
    } else if (--records_[record].waiting == 0) {
      hold(device_of_[op], -info.bytes);
    }
  }
}

/// In the order (tensor id, device id); channels are reserved while waiting.
void Simulator::Loop::serve_requests() {
  std::ranges::sort(requests_, [&](std::uint32_t a, std::uint32_t b) {
    if (records_[a].tensor != records_[b].tensor) return records_[a].tensor < records_[b].tensor;
    return records_[a].device < records_[b].device;
  });
  for (const std::uint32_t request : requests_) {
    const Record& record = records_[request];
    const Layout::TensorInfo& info = layout_.tensors()[record.tensor];
    const DeviceId from = device_id(device_of_[info.producer]);
    const DeviceId to = device_id(record.device);
    const std::vector<ChannelId>& channels = problem_.topology().route(from, to)->channels;
    Picoseconds begin = now_;
    for (const ChannelId channel : channels) {
      begin = std::max(begin, channel_free_at_[channel.index()]);
    }
    const TensorId tensor(record.tensor);
    const Picoseconds end = begin + problem_.costs().transfer_ps(tensor, from, to);
    for (const ChannelId channel : channels) channel_free_at_[channel.index()] = end;
    if (begin == now_) {
      hold(record.device, info.bytes);
    } else {
      add_event(begin, EventKind::kBegins, request);
    }
    add_event(end, EventKind::kArrives, request);
    if (schedule_ != nullptr) {
      schedule_->transfers.push_back({tensor, from, to, now_, begin, end});
      schedule_->bytes_moved += info.bytes;
    }
  }
  requests_.clear();
}

void Simulator::Loop::dispatch() {
  for (const std::uint32_t device : dirty_) {
    DeviceState& state = devices_[device];
    state.dirty = false;
    std::uint32_t op = 0;
    while (state.free_slots > 0 && take_ready(state, op)) start(op, device);
  }
  dirty_.clear();
}

bool Simulator::Loop::take_ready(DeviceState& device, std::uint32_t& op) {
  if (device.first == device.end) return false;
  if (strict()) {
    op = static_cast<std::uint32_t>(strict_[device.first].index());
    if (missing_[op] > 0) return false;
    ++device.first;
    return true;
  }
  std::pop_heap(queue_.begin() + static_cast<std::ptrdiff_t>(device.first),
                queue_.begin() + static_cast<std::ptrdiff_t>(device.end), kLater);
  op = queue_[--device.end].id;
  return true;
}

void Simulator::Loop::start(std::uint32_t op, std::uint32_t device) {
  const Layout::OpInfo& info = layout_.ops()[op];
  --devices_[device].free_slots;
  hold(device, info.temp_bytes + info.output_bytes);
  const Picoseconds duration = problem_.costs().op_ps(OpId(op), device_id(device));
  add_event(now_ + duration, EventKind::kOpEnds, op);
  if (schedule_ != nullptr) {
    schedule_->ops[op] = {OpId(op), device_id(device), now_, now_ + duration};
    schedule_->busy_ps[device] += duration;
  }
}

/// Peaks count what is held when an instant is over, and time moves on.
void Simulator::Loop::close_instant() {
  for (const std::uint32_t device : touched_) {
    DeviceState& state = devices_[device];
    state.touched = false;
    state.peak_bytes = std::max(state.peak_bytes, state.held_bytes);
  }
  touched_.clear();
  now_ = events_.front().key;
}

void Simulator::Loop::add_event(Picoseconds time, EventKind kind, std::uint32_t id) {
  events_.push_back({time, static_cast<std::uint32_t>(kind) << kKindShift | id});
  std::ranges::push_heap(events_, kLater);
}

void Simulator::Loop::hold(std::uint32_t device, std::int64_t bytes) {
  if (bytes == 0) return;
  devices_[device].held_bytes += bytes;
  if (devices_[device].touched) return;
  devices_[device].touched = true;
  touched_.push_back(device);
}

void Simulator::Loop::mark_dirty(std::uint32_t device) {
  if (devices_[device].dirty) return;
  devices_[device].dirty = true;
  dirty_.push_back(device);
}

Score Simulator::Loop::score() const {
  Score result{0, now_};
  for (std::size_t d = 0; d < devices_.size(); ++d) {
    result.overflow_bytes += std::max<std::int64_t>(
        0, devices_[d].peak_bytes - problem_.topology().devices()[d].memory_bytes);
  }
  return result;
}

void Simulator::Loop::finish_schedule(const Score& score) {
  for (const DeviceState& device : devices_) schedule_->peak_bytes.push_back(device.peak_bytes);
  schedule_->score = score;
}

Simulator::Simulator(const Problem& problem, Order order)
    : loop_(std::make_unique<Loop>(problem, order)) {}
Simulator::~Simulator() = default;
Simulator::Simulator(Simulator&&) noexcept = default;
Simulator& Simulator::operator=(Simulator&&) noexcept = default;

Score Simulator::evaluate(const Placement& placement, const Sequences* sequences,
                          Schedule* schedule) {
  return loop_->evaluate(placement, sequences, schedule);
}
const Problem& Simulator::problem() const { return loop_->problem(); }
Order Simulator::order() const { return loop_->order(); }

}  // namespace placer

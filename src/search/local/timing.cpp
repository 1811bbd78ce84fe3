#include "search/local/timing.hpp"

#include <algorithm>
#include <tuple>

namespace placer {

Timing::Timing(const Problem& problem)
    : problem_(&problem),
      ops_(problem.op_count()),
      occupancy_(problem),
      by_start_(problem.graph().program_order()),
      on_device_(problem.device_count()) {
  for (const Device& device : problem.topology().devices()) {
    if (device.slots > 1) one_slot_each_ = false;
  }
  const Graph& graph = problem.graph();
  for (const OpId op : IdRange<OpId>(problem.op_count())) {
    for (const TensorId id : graph.inputs(op)) {
      inputs_.all.push_back({id, graph.tensor(id).producer, graph.tensor(id).bytes > 0});
    }
    for (const TensorId id : graph.outputs(op)) {
      for (const OpId reader : graph.tensor(id).consumers) {
        outputs_.all.push_back({id, reader, graph.tensor(id).bytes > 0});
      }
    }
    inputs_.end.push_back(inputs_.all.size());
    outputs_.end.push_back(outputs_.all.size());
    sends_.push_back(std::ranges::any_of(outputs_.of(op), &Edge::travels));
    sends_any_ = sends_any_ || sends_.back();
  }
}

std::span<const OpId> Timing::ops_on(DeviceId device) const { return on_device_[device.index()]; }

void Timing::read(const Schedule& schedule) {
  followed_.clear();
  step_ps_ = schedule.score.step_ps;
  for (const OpRun& run : schedule.ops) {
    OpTime& op = ops_[run.op.index()];
    op.device = run.device;
    op.start_ps = run.start_ps;
    op.end_ps = run.end_ps;
  }
  occupancy_.clear();
  for (const TransferRun& run : schedule.transfers) {
    occupancy_.deliver(run.tensor, run.to, run.end_ps);
  }
  finish();
}

void Timing::finish() {
  sort_by_start();
  fill_lanes();
  for (auto at = by_start_.rbegin(); at != by_start_.rend(); ++at) fill_tail(*at);
  const auto last = std::ranges::find_if(by_start_.rbegin(), by_start_.rend(),
                                         [this](OpId op) { return end_ps(op) == step_ps_; });
  last_ = last == by_start_.rend() ? std::nullopt : std::optional(*last);
}

/// Whether it comes later by start, by end, and then in program order.
bool Timing::is_later(OpId op, OpId than) const {
  const auto key = [this](OpId of) {
    return std::tuple(start_ps(of), end_ps(of), problem_->graph().program_position(of));
  };
  return key(op) > key(than);
}

bool Timing::follow(const Placement& placement, const OpOrder& order, Picoseconds step_ps) {
  if (!one_slot_each_ || order.empty()) return false;
  const auto [first, end] = changed(placement, order);
  cut(first);
  for (std::size_t at = first; at < order.size(); ++at) {
    ops_[order[at].index()].device = placement[problem_->groups().of(order[at])];
  }
  bool is_sorted = true;  // on each device, as read() would sort
  for (std::size_t at = first; at < order.size(); ++at) is_sorted = append(order[at]) && is_sorted;
  followed_.clear();
  if (step_ps_ != step_ps) return false;
  if (!is_sorted) {
    finish();
    return true;
  }
  for (std::size_t at = end; at-- > 0;) fill_tail(order[at]);
  if (!sends_any_) followed_ = order;
  return true;
}

/// The part of `order` outside of which it is the one that was followed before, on the same
/// devices: heads before it and tails behind it are known. All of it, where tensors travel.
std::pair<std::size_t, std::size_t> Timing::changed(const Placement& placement,
                                                    const OpOrder& order) const {
  if (followed_.size() != order.size()) return {0, order.size()};
  const auto is_same = [&](std::size_t at) {
    const OpId op = order[at];
    return followed_[at] == op && device(op) == placement[problem_->groups().of(op)];
  };
  std::size_t first = 0, end = order.size();
  while (first < end && is_same(first)) ++first;
  while (end > first && is_same(end - 1)) --end;
  return {first, end};
}

/// Forgets what was followed from position `first` on.
void Timing::cut(std::size_t first) {
  if (first == 0) {
    for (std::vector<OpId>& ops : on_device_) ops.clear();
    occupancy_.clear();
  }
  for (std::size_t at = first; at < followed_.size(); ++at) {
    std::vector<OpId>& ops = on_device_[device(followed_[at]).index()];
    ops.resize(std::min(ops.size(), rank(followed_[at])));
  }
  step_ps_ = 0;
  last_.reset();
  for (const DeviceId device : IdRange<DeviceId>(first == 0 ? 0 : on_device_.size())) {
    const std::vector<OpId>& ops = on_device_[device.index()];
    occupancy_.device(device).free_ps = ops.empty() ? 0 : end_ps(ops.back());
    if (ops.empty()) continue;
    ops_[ops.back().index()].after.reset();
    note_end(ops.back());
  }
}

/// The step ends with it or later.
void Timing::note_end(OpId op) {
  const Picoseconds end = end_ps(op);
  if (end < step_ps_ || (end == step_ps_ && last_ && !is_later(op, *last_))) return;
  step_ps_ = end;
  last_ = op;
}

/// Runs it next on its device. False where it does not come after the op before it there: both
/// take no time.
bool Timing::append(OpId op) {
  OpTime& time = ops_[op.index()];
  Picoseconds& free_ps = occupancy_.device(time.device).free_ps;
  time.start_ps = std::max(free_ps, ready_ps(op, time.device));
  time.end_ps = time.start_ps + problem_->costs().op_ps(op, time.device);
  put_last(op);
  free_ps = time.end_ps;
  note_end(op);
  if (sends_[op.index()]) {
    occupancy_.send_outputs(op, time.end_ps, [this](OpId other) { return device(other); });
  }
  return !time.before || is_later(op, *time.before);
}

/// Nearly sorted already after a small change.
void Timing::sort_by_start() {
  const auto less = [&](OpId a, OpId b) { return is_later(b, a); };
  std::size_t moved = 0;
  for (std::size_t at = 1; at < by_start_.size(); ++at) {
    const OpId op = by_start_[at];
    std::size_t to = at;
    for (; to > 0 && less(op, by_start_[to - 1]); --to) by_start_[to] = by_start_[to - 1];
    by_start_[to] = op;
    moved += at - to;
    if (moved > 16 * by_start_.size()) {
      std::ranges::sort(by_start_, less);
      return;
    }
  }
}

/// Behind the others on its device, as if that had one slot.
void Timing::put_last(OpId op) {
  OpTime& time = ops_[op.index()];
  std::vector<OpId>& ops = on_device_[time.device.index()];
  time.rank = ops.size();
  time.before = ops.empty() ? std::nullopt : std::optional(ops.back());
  time.after.reset();
  if (time.before) ops_[time.before->index()].after = op;
  ops.push_back(op);
}

void Timing::fill_lanes() {
  for (std::vector<OpId>& ops : on_device_) ops.clear();
  for (const OpId op : by_start_) put_last(op);
  for (const DeviceId device : IdRange<DeviceId>(on_device_.size())) {
    if (problem_->topology().device(device).slots > 1) fill_lanes_of(device);
  }
}

/// Gives each op of a device with several slots the slot that was left last.
void Timing::fill_lanes_of(DeviceId device) {
  const auto slots = static_cast<std::size_t>(problem_->topology().device(device).slots);
  lanes_.assign(std::min(slots, on_device_[device.index()].size()), std::nullopt);
  for (const OpId op : on_device_[device.index()]) {
    OpTime& time = ops_[op.index()];
    std::optional<OpId>* lane = nullptr;
    for (std::optional<OpId>& other : lanes_) {
      if (other && end_ps(*other) > time.start_ps) continue;
      if (lane == nullptr || !*lane || (other && end_ps(*other) > end_ps(**lane))) lane = &other;
    }
    time.before = *lane;
    time.after.reset();
    if (time.before) ops_[time.before->index()].after = op;
    *lane = op;
  }
}

/// Those of all that wait for it are known.
void Timing::fill_tail(OpId of) {
  OpTime& op = ops_[of.index()];
  op.tail_ps = 0;
  if (op.after) {
    const OpTime& next = ops_[op.after->index()];
    op.tail_ps = next.end_ps - next.start_ps + next.tail_ps;
  }
  op.tail_ps = std::max(op.tail_ps, outputs_tail_ps(of, op.device));
}

Picoseconds Timing::arrival_ps(const Edge& input, DeviceId to) const {
  const OpTime& producer = ops_[input.other.index()];
  if (producer.device == to || !input.travels) return producer.end_ps;
  const auto* known = occupancy_.arrival(occupancy_.copy(input.tensor, to));
  if (known != nullptr) return known->time_ps;
  return producer.end_ps + problem_->costs().transfer_ps(input.tensor, producer.device, to);
}

Picoseconds Timing::ready_ps(OpId op, DeviceId device) const {
  Picoseconds ready = 0;
  for (const Edge& input : inputs_.of(op)) ready = std::max(ready, arrival_ps(input, device));
  return ready;
}

Picoseconds Timing::outputs_tail_ps(OpId op, DeviceId device) const {
  const OpTime& producer = ops_[op.index()];
  Picoseconds tail = 0;
  if (!sends_[op.index()]) {
    for (const Edge& output : outputs_.of(op)) {
      const OpTime& consumer = ops_[output.other.index()];
      tail = std::max(tail, consumer.end_ps - consumer.start_ps + consumer.tail_ps);
    }
    return tail;
  }
  for (const Edge& output : outputs_.of(op)) {
    const OpTime& consumer = ops_[output.other.index()];
    Picoseconds transfer = 0;
    if (consumer.device != device && output.travels) {
      transfer = device == producer.device
                     ? arrival_ps({output.tensor, op, true}, consumer.device) - producer.end_ps
                     : problem_->costs().transfer_ps(output.tensor, device, consumer.device);
    }
    tail = std::max(tail, transfer + consumer.end_ps - consumer.start_ps + consumer.tail_ps);
  }
  return tail;
}

std::size_t Timing::first_from(DeviceId device, Picoseconds time_ps) const {
  const std::span<const OpId> ops = ops_on(device);
  const auto found = std::ranges::lower_bound(ops, time_ps, std::less<>(),
                                              [this](OpId op) { return start_ps(op); });
  return static_cast<std::size_t>(found - ops.begin());
}

void Timing::critical_path(Rng& rng, std::vector<OpId>& path) const {
  path.clear();
  std::vector<OpId> ways;
  if (last_) ways.push_back(*last_);
  while (!ways.empty()) {
    const OpId op = rng.pick(std::span<const OpId>(ways));
    path.push_back(op);
    ways.clear();
    const Picoseconds start = start_ps(op);
    if (before(op) && end_ps(*before(op)) == start) ways.push_back(*before(op));
    for (const Edge& input : inputs_.of(op)) {
      if (arrival_ps(input, device(op)) == start) ways.push_back(input.other);
    }
  }
}

}  // namespace placer

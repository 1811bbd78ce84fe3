#include "search/exact/late_schedule.hpp"

#include <algorithm>
#include <utility>

namespace placer {
namespace {

constexpr std::size_t kLeastInterval = 16;

}  // namespace

LateSchedule::LateSchedule(const Problem& problem, const StepWindows& windows)
    : problem_(&problem),
      windows_(&windows),
      devices_(problem.device_count()),
      most_late_ps_(std::numeric_limits<Picoseconds>::max() /
                    static_cast<Picoseconds>(problem.op_count() + 1)),
      position_(problem.op_count()),
      ops_(problem.op_count()),
      arrivals_(problem.graph().tensors().size() * devices_),
      lanes_(devices_ + problem.topology().channel_names().size()),
      late_at_(problem.op_count(), kNothing) {
  interval_ = std::max(kLeastInterval, lanes_.size() / 4);
  stored_.resize((problem.op_count() + interval_ - 1) / interval_ * lanes_.size());
}

void LateSchedule::read(Placement placement, OpOrder order) {
  placement_ = std::move(placement);
  order_ = std::move(order);
  for (std::size_t at = 0; at < order_.size(); ++at) position_[order_[at].index()] = at;
  run_all();
}

void LateSchedule::run_all() {
  std::ranges::fill(lanes_, Lane());
  for (const OpId op : late_) late_at_[op.index()] = kNothing;
  late_.clear();
  lateness_ps_ = 0;
  for (std::size_t at = 0; at < order_.size(); ++at) {
    if (at % interval_ == 0) {
      std::ranges::copy(
          lanes_, stored_.begin() + static_cast<std::ptrdiff_t>(at / interval_ * lanes_.size()));
    }
    const OpId op = order_[at];
    run(op);
    for (const TensorId tensor : problem_->graph().outputs(op)) send(op, tensor);
    lateness_ps_ += ops_[op.index()].late_ps;
    ops_were_.push_back({op.index(), {}});
  }
  list_late();
  ops_were_.clear();
  arrivals_were_.clear();
}

Picoseconds LateSchedule::ready_ps(OpId op) const {
  Picoseconds ready_ps = lanes_[device(op).index()].free_ps;
  for (const TensorId tensor : problem_->graph().inputs(op)) {
    ready_ps = std::max(ready_ps, arrivals_[copy(tensor, device(op))].time_ps);
  }
  return ready_ps;
}

void LateSchedule::run(OpId op) {
  const DeviceId on = device(op);
  Lane& lane = lanes_[on.index()];
  const Picoseconds due_ps = windows_->ends_ps[op.index() * devices_ + on.index()];
  const Picoseconds work_ps = problem_->costs().op_ps(op, on);
  const Picoseconds end_ps = ready_ps(op) + work_ps;
  OpTime& time = ops_[op.index()];
  time.late_ps = std::clamp<Picoseconds>(end_ps - due_ps, 0, most_late_ps_);
  time.end_ps = end_ps - time.late_ps;
  time.start_ps = time.end_ps - work_ps;
  time.before = lane.last;
  lane = {time.end_ps, op.index()};
}

/// To its own device at once, to others through their channels.
void LateSchedule::send(OpId op, TensorId tensor) {
  const DeviceId from = device(op);
  const auto log = [&](DeviceId to) {
    arrivals_were_.push_back({copy(tensor, to), arrivals_[copy(tensor, to)]});
  };
  targets_.clear();
  log(from);
  arrivals_[copy(tensor, from)] = {ops_[op.index()].end_ps, kNothing};
  for (const OpId consumer : problem_->graph().tensor(tensor).consumers) {
    const DeviceId to = device(consumer);
    if (to == from || std::ranges::find(targets_, to) != targets_.end()) continue;
    targets_.push_back(to);
  }
  if (targets_.size() > 1) std::ranges::sort(targets_);
  for (const DeviceId to : targets_) {
    log(to);
    request(tensor, from, to);
  }
}

void LateSchedule::request(TensorId tensor, DeviceId from, DeviceId to) {
  const Picoseconds time_ps = problem_->costs().transfer_ps(tensor, from, to);
  Arrival& arrival = arrivals_[copy(tensor, to)];
  arrival = {arrivals_[copy(tensor, from)].time_ps, kNothing};
  if (time_ps == 0) return;
  const std::vector<ChannelId>& channels = problem_->topology().route(from, to)->channels;
  for (const ChannelId channel : channels) {
    const Lane& lane = lanes_[devices_ + channel.index()];
    if (lane.free_ps <= arrival.time_ps) continue;
    arrival = {lane.free_ps, lane.last};
  }
  arrival.time_ps += time_ps;
  for (const ChannelId channel : channels) {
    lanes_[devices_ + channel.index()] = {arrival.time_ps, copy(tensor, to)};
  }
}

Picoseconds LateSchedule::change(const Change& change) {
  moved_ = change.op;
  moved_from_ = position(moved_);
  device_before_ = device(moved_);
  lateness_before_ps_ = lateness_ps_;
  std::size_t lowest = 0, highest = order_.size() - 1;
  for (const TensorId input : problem_->graph().inputs(moved_)) {
    lowest = std::max(lowest, position(problem_->graph().tensor(input).producer) + 1);
  }
  for (const TensorId output : problem_->graph().outputs(moved_)) {
    for (const OpId consumer : problem_->graph().tensor(output).consumers) {
      highest = std::min(highest, position(consumer) - 1);
    }
  }
  const std::size_t to = std::clamp(change.position, lowest, highest);
  std::size_t first = std::min(moved_from_, to), last = std::max(moved_from_, to);
  if (change.device != device_before_) {
    for (const OpId op : problem_->groups().ops(problem_->groups().of(moved_))) {
      first = std::min(first, first_affected(op, position(op)));
      last = std::max(last, position(op));
    }
  }
  shift(moved_, to);
  placement_[problem_->groups().of(moved_)] = change.device;
  run_from(first, last);
  return lateness_ps_;
}

/// Producers send elsewhere when an op changes devices.
std::size_t LateSchedule::first_affected(OpId op, std::size_t position) const {
  for (const TensorId input : problem_->graph().inputs(op)) {
    position = std::min(position, position_[problem_->graph().tensor(input).producer.index()]);
  }
  return position;
}

std::size_t LateSchedule::last_consumer(OpId op) const {
  std::size_t last = 0;
  for (const TensorId tensor : problem_->graph().outputs(op)) {
    for (const OpId consumer : problem_->graph().tensor(tensor).consumers) {
      last = std::max(last, position(consumer));
    }
  }
  return last;
}

void LateSchedule::shift(OpId op, std::size_t to) {
  const std::size_t from = position(op);
  const std::ptrdiff_t step = to < from ? -1 : 1;
  for (std::size_t at = from; at != to;) {
    const std::size_t next = at + static_cast<std::size_t>(step);
    order_[at] = order_[next];
    position_[order_[at].index()] = at;
    at = next;
  }
  order_[to] = op;
  position_[op.index()] = to;
}

/// Until behind `last` nothing differs any more.
void LateSchedule::run_from(std::size_t first, std::size_t last) {
  ops_were_.clear();
  arrivals_were_.clear();
  stored_were_.clear();
  const std::size_t begin = first / interval_ * interval_;
  const auto stored =
      stored_.begin() + static_cast<std::ptrdiff_t>(begin / interval_ * lanes_.size());
  std::copy(stored, stored + static_cast<std::ptrdiff_t>(lanes_.size()), lanes_.begin());
  for (std::size_t at = begin; at < order_.size(); ++at) {
    if (at % interval_ == 0 && at > begin && same_as_before(at) && at > last) return;
    const OpId op = order_[at];
    const OpTime before = ops_[op.index()];
    ops_were_.push_back({op.index(), before});
    const std::size_t logged = arrivals_were_.size();
    run(op);
    for (const TensorId tensor : problem_->graph().outputs(op)) send(op, tensor);
    lateness_ps_ += ops_[op.index()].late_ps - before.late_ps;
    const bool differs = std::any_of(
        arrivals_were_.begin() + static_cast<std::ptrdiff_t>(logged), arrivals_were_.end(),
        [&](const Was<Arrival>& was) { return arrivals_[was.at].time_ps != was.value.time_ps; });
    if (differs) last = std::max(last, last_consumer(op));
  }
}

/// Stores the lanes where they differ.
bool LateSchedule::same_as_before(std::size_t position) {
  const std::size_t first = position / interval_ * lanes_.size();
  bool same = true;
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    if (stored_[first + i] == lanes_[i]) continue;
    stored_were_.push_back({first + i, stored_[first + i]});
    stored_[first + i] = lanes_[i];
    same = false;
  }
  return same;
}

void LateSchedule::keep() { list_late(); }

/// The list of late ops, where ops were touched.
void LateSchedule::list_late() {
  for (const Was<OpTime>& was : ops_were_) {
    std::size_t& at = late_at_[was.at];
    const bool is_late = ops_[was.at].late_ps > 0;
    if (is_late == (at != kNothing)) continue;
    if (is_late) {
      at = late_.size();
      late_.push_back(OpId(was.at));
      continue;
    }
    late_[at] = late_.back();
    late_at_[late_[at].index()] = at;
    late_.pop_back();
    at = kNothing;
  }
}

void LateSchedule::take_back() {
  for (auto was = stored_were_.rbegin(); was != stored_were_.rend(); ++was) {
    stored_[was->at] = was->value;
  }
  for (auto was = arrivals_were_.rbegin(); was != arrivals_were_.rend(); ++was) {
    arrivals_[was->at] = was->value;
  }
  for (const Was<OpTime>& was : ops_were_) ops_[was.at] = was.value;
  placement_[problem_->groups().of(moved_)] = device_before_;
  shift(moved_, moved_from_);
  lateness_ps_ = lateness_before_ps_;
}

}  // namespace placer

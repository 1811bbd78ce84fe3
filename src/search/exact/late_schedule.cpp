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
      occupancy_(problem),
      late_at_(problem.op_count(), kNothing) {
  const std::size_t lanes = occupancy_.lanes().size();
  interval_ = std::max(kLeastInterval, lanes / 4);
  stored_.resize((problem.op_count() + interval_ - 1) / interval_ * lanes);
}

void LateSchedule::read(Placement placement, OpOrder order) {
  placement_ = std::move(placement);
  order_ = std::move(order);
  for (std::size_t at = 0; at < order_.size(); ++at) position_[order_[at].index()] = at;
  run_all();
}

std::span<LateSchedule::Lane> LateSchedule::stored_lanes(std::size_t position) {
  const std::size_t lanes = occupancy_.lanes().size();
  return std::span(stored_).subspan(position / interval_ * lanes, lanes);
}

void LateSchedule::run_all() {
  occupancy_.clear();
  for (const OpId op : late_) late_at_[op.index()] = kNothing;
  late_.clear();
  lateness_ps_ = 0;
  for (std::size_t at = 0; at < order_.size(); ++at) {
    if (at % interval_ == 0) std::ranges::copy(occupancy_.lanes(), stored_lanes(at).begin());
    const OpId op = order_[at];
    run(op);
    lateness_ps_ += ops_[op.index()].late_ps;
    ops_were_.push_back({op.index(), {}});
  }
  list_late();
  ops_were_.clear();
  occupancy_.keep();
}

void LateSchedule::run(OpId op) {
  const DeviceId on = device(op);
  Lane& lane = occupancy_.device(on);
  Picoseconds start_ps = lane.free_ps;
  for (const TensorId tensor : problem_->graph().inputs(op)) {
    start_ps = std::max(start_ps, arrival(tensor, op).time_ps);
  }
  const Picoseconds due_ps = windows_->ends_ps[op.index() * devices_ + on.index()];
  const Picoseconds work_ps = problem_->costs().op_ps(op, on);
  const Picoseconds end_ps = start_ps + work_ps;
  OpTime& time = ops_[op.index()];
  time.late_ps = std::clamp<Picoseconds>(end_ps - due_ps, 0, most_late_ps_);
  time.end_ps = end_ps - time.late_ps;
  time.start_ps = time.end_ps - work_ps;
  time.before = lane.last;
  lane = {time.end_ps, static_cast<std::uint32_t>(op.index())};
  for (const TensorId tensor : problem_->graph().outputs(op)) {
    occupancy_.deliver(tensor, on, time.end_ps);
  }
  occupancy_.send_outputs(op, time.end_ps, [this](OpId other) { return device(other); });
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
  occupancy_.keep();
  stored_were_.clear();
  const std::size_t begin = first / interval_ * interval_;
  std::ranges::copy(stored_lanes(begin), occupancy_.lanes().begin());
  for (std::size_t at = begin; at < order_.size(); ++at) {
    if (at % interval_ == 0 && at > begin && same_as_before(at) && at > last) return;
    const OpId op = order_[at];
    const OpTime before = ops_[op.index()];
    ops_were_.push_back({op.index(), before});
    const Occupancy::Mark mark = occupancy_.mark();
    run(op);
    lateness_ps_ += ops_[op.index()].late_ps - before.late_ps;
    if (occupancy_.differs_since(mark)) last = std::max(last, last_consumer(op));
  }
}

/// Stores the lanes where they differ.
bool LateSchedule::same_as_before(std::size_t position) {
  const std::span<Lane> lanes = occupancy_.lanes(), stored = stored_lanes(position);
  bool same = true;
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    if (stored[i] == lanes[i]) continue;
    stored_were_.push_back({static_cast<std::size_t>(&stored[i] - stored_.data()), stored[i]});
    stored[i] = lanes[i];
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
  occupancy_.take_back({});
  for (const Was<OpTime>& was : ops_were_) ops_[was.at] = was.value;
  placement_[problem_->groups().of(moved_)] = device_before_;
  shift(moved_, moved_from_);
  lateness_ps_ = lateness_before_ps_;
}

}  // namespace placer

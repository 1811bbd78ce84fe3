// A step's future depends on its past only through what is still to come of it. Let the ops that
// have had their step be the same here and in the trace, let `now` be when the next op became ready
// here and `then` in the trace. Everything later happens at `now` (`then`) or after, so of what the
// past ops did only this matters: ends of ops after `now`, since they keep devices busy, and
// arrivals after `now`, since they keep links busy and consumers waiting. When all of these equal
// those in the trace plus now - then, and devices and consumers' devices are as in the trace, the
// two futures differ by that constant: ties too, since ids do not move. That holds until the next
// op that has changed, where another stretch begins.
//
// What a stretch needs of the time before it, it asks of the trace: the inputs that an op has
// already got when it is first touched, the devices and links that are still occupied, and the ops
// that are ready already, which come in the trace's own order.
//
// The steps themselves are those of FifoPath, exact for the same reasons.
#include "sim/replay.hpp"

#include <algorithm>
#include <bit>
#include <functional>

#include "sim/channels.hpp"

namespace placer {

Replay::Replay(const Trace& trace, const std::vector<std::uint32_t>& device_of,
               const OpSet& changed)
    : trace_(trace),
      layout_(trace.layout()),
      device_of_(device_of),
      changed_(changed),
      ops_(trace.size()),
      free_at_(layout_.devices),
      channel_free_at_(layout_.channels),
      present_at_(layout_.devices) {
  stretches_.reserve(trace.size());
  made_.reserve(trace.size());
  first_arrival_.reserve(trace.size());
  arrivals_.reserve(layout_.edge_consumers.size());
  ready_.reserve(trace.size());
}

void Replay::clear() {
  stretches_.clear();
  made_.clear();
  first_arrival_.clear();
  arrivals_.clear();
}

std::optional<Replay::Stretch> Replay::run(std::size_t first, std::size_t most_steps) {
  return run(first, most_steps, nullptr);
}

Replay::Stretch Replay::run_all(const Deadline& deadline) {
  clear();
  Watch watch(deadline);
  return *run(0, trace_.size(), &watch);
}

std::optional<Replay::Stretch> Replay::run(std::size_t first, std::size_t most_steps,
                                           Watch* whole) {
  begin(first);
  for (std::size_t step = first; step < trace_.size(); ++step) {
    const Ready op = next();
    if (whole != nullptr) {
      whole->check();
    } else if (step > first && rest_is_known(step, op)) {
      stretches_.push_back({first, step, op.ready_ps - trace_.ready_ps(step)});
      return stretches_.back();
    }
    if (step - first >= most_steps) return std::nullopt;
    take(op);
    commit(op);
    compare_done(step, op.op());
  }
  stretches_.push_back({first, trace_.size(), 0, *std::ranges::max_element(free_at_)});
  return stretches_.back();
}

void Replay::begin(std::size_t first) {
  if (++stretch_ == 0) {
    std::ranges::fill(ops_, OpState{});
    stretch_ = 1;
  }
  first_ = cursor_ = first;
  early_left_ = trace_.pending(first);
  first_made_ = suspect_ = made_.size();
  apart_ = 0;
  latest_ps_ = trace_.latest_ps(first);
  ready_.clear();
  recall_occupied(first);
}

/// Until when devices and channels are occupied, as far as that matters from `first` on.
void Replay::recall_occupied(std::size_t first) {
  std::ranges::fill(free_at_, 0);
  std::ranges::fill(channel_free_at_, 0);
  const Picoseconds now_ps = trace_.ready_ps(first);
  for (std::size_t step = first; step > 0 && trace_.latest_ps(step) > now_ps;) {
    --step;
    if (trace_.last_ps(step) <= now_ps) continue;
    const std::uint32_t op = trace_.op(step);
    const std::uint32_t from = device_of_[op];
    free_at_[from] = std::max(free_at_[from], trace_.end_ps(step));
    for (std::uint32_t edge = trace_.first_edge(op); edge < trace_.first_edge(op + 1); ++edge) {
      const std::uint32_t to = device_of_[layout_.edge_consumers[edge]];
      const Picoseconds arrival_ps = trace_.arrival_ps(step, edge);
      if (to == from || arrival_ps == trace_.end_ps(step)) continue;
      const std::uint32_t channel = layout_.wire(from, to).channel;
      if (channel + 1 < layout_.channels) {
        channel_free_at_[channel] = std::max(channel_free_at_[channel], arrival_ps);
      }
    }
  }
}

Replay::OpState& Replay::state(std::uint32_t op) {
  OpState& state = ops_[op];
  if (state.stretch == stretch_) return state;
  Picoseconds ready_ps = 0;
  std::uint32_t missing = 0;
  for (const Trace::Input& input : trace_.inputs(op)) {
    const std::uint32_t step = trace_.step_of(input.producer);
    if (step >= first_) {
      ++missing;
    } else {
      ready_ps = std::max(ready_ps, trace_.arrival_ps(step, input.edge));
    }
  }
  state = {ready_ps, stretch_, missing & 0x3fffffffU, missing == 0, false};
  return state;
}

/// The op that became ready first. There is one as long as ops are left.
Replay::Ready Replay::next() {
  while (early_left_ > 0) {
    const std::uint32_t op = trace_.op(cursor_);
    const OpState& early = state(op);
    if (!early.early || early.done) {
      ++cursor_;
      continue;
    }
    const Ready candidate = ready(trace_.ready_ps(cursor_), op);
    return ready_.empty() ? candidate : std::min(candidate, ready_.front());
  }
  return ready_.front();
}

void Replay::take(const Ready& next) {
  OpState& op = ops_[next.op()];
  op.done = true;
  if (op.early) {
    --early_left_;
  } else {
    std::ranges::pop_heap(ready_, std::greater<>());
    ready_.pop_back();
  }
}

void Replay::commit(const Ready& next) {
  const std::uint32_t op = next.op(), device = device_of_[op];
  const Picoseconds end_ps = std::max(next.ready_ps, free_at_[device]) + layout_.op_ps(op, device);
  free_at_[device] = end_ps;
  const auto pending = static_cast<std::uint32_t>(ready_.size()) + early_left_ + 1;
  first_arrival_.push_back(static_cast<std::uint32_t>(arrivals_.size()));
  Picoseconds last_ps = end_ps;
  for (std::uint32_t tensor = layout_.first_tensor[op]; tensor < layout_.first_tensor[op + 1];
       ++tensor) {
    last_ps = std::max(last_ps, send(tensor, device, end_ps));
  }
  made_.push_back({op, pending, next.ready_ps, end_ps, last_ps, latest_ps_});
  latest_ps_ = std::max(latest_ps_, last_ps);
}

/// When the last receiver has it.
Picoseconds Replay::send(std::uint32_t tensor, std::uint32_t from, Picoseconds now_ps) {
  const auto [bytes, first_edge, end_edge] = layout_.tensors[tensor];
  std::uint64_t receivers = 0;
  if (bytes > 0) {
    for (std::uint32_t edge = first_edge; edge < end_edge; ++edge) {
      receivers |= std::uint64_t{1} << device_of_[layout_.edge_consumers[edge]];
    }
    receivers &= ~(std::uint64_t{1} << from);
  }
  Picoseconds last_ps = now_ps;
  for (std::uint64_t left = receivers; left != 0; left &= left - 1) {
    const auto to = static_cast<std::uint32_t>(std::countr_zero(left));
    present_at_[to] = transfer(tensor, from, to, now_ps);
    last_ps = std::max(last_ps, present_at_[to]);
  }
  for (std::uint32_t edge = first_edge; edge < end_edge; ++edge) {
    const std::uint32_t consumer = layout_.edge_consumers[edge];
    const std::uint32_t to = device_of_[consumer];
    const Picoseconds at_ps = (receivers >> to & 1) != 0 ? present_at_[to] : now_ps;
    arrivals_.push_back(at_ps);
    deliver(consumer, at_ps);
  }
  return last_ps;
}

/// When it ends.
Picoseconds Replay::transfer(std::uint32_t tensor, std::uint32_t from, std::uint32_t to,
                             Picoseconds now_ps) {
  const CompactLayout::Wire& wire = layout_.wire(from, to);
  return occupy_wire(channel_free_at_, wire, now_ps, layout_.transfer_ps(tensor, wire)).end_ps;
}

void Replay::deliver(std::uint32_t op, Picoseconds at_ps) {
  OpState& consumer = state(op);
  consumer.ready_ps = std::max(consumer.ready_ps, at_ps);
  if (--consumer.missing > 0) return;
  ready_.push_back(ready(consumer.ready_ps, op));
  std::ranges::push_heap(ready_, std::greater<>());
}

/// Counts the ops that are done on one side only, after `op` had `step`.
void Replay::compare_done(std::size_t step, std::uint32_t op) {
  const std::uint32_t before = trace_.op(step);
  if (before == op) return;
  apart_ += trace_.step_of(op) > step ? 1 : -1;
  const OpState& other = ops_[before];
  apart_ += other.stretch == stretch_ && other.done ? -1 : 1;
}

bool Replay::rest_is_known(std::size_t step, const Ready& next) {
  if (apart_ != 0 || trace_.op(step) != next.op()) return false;
  const Picoseconds now_ps = next.ready_ps, then_ps = trace_.ready_ps(step);
  if (now_ps != then_ps && trace_.latest_ps(first_) > std::min(now_ps, then_ps)) return false;
  const auto agrees = [&](std::size_t made) {
    return is_past(made, now_ps, then_ps) || is_moved_only(made, now_ps, then_ps);
  };
  if (!agrees(suspect_)) return false;
  while (first_made_ < made_.size() && is_past(first_made_, now_ps, then_ps)) ++first_made_;
  for (suspect_ = first_made_; suspect_ < made_.size(); ++suspect_) {
    if (!agrees(suspect_)) return false;
  }
  suspect_ = made_.size() - 1;
  return true;
}

/// Nothing of the op is to come any more, here or in the trace.
bool Replay::is_past(std::size_t made, Picoseconds now_ps, Picoseconds then_ps) const {
  return made_[made].last_ps <= now_ps && trace_.last_ps(trace_.step_of(made_[made].op)) <= then_ps;
}

/// What is to come of the op is what it was in the trace, later by the same time.
bool Replay::is_moved_only(std::size_t made, Picoseconds now_ps, Picoseconds then_ps) const {
  const std::uint32_t op = made_[made].op;
  if (changed_.contains(op)) return false;
  const std::uint32_t step = trace_.step_of(op);
  const auto agree = [&](Picoseconds here_ps, Picoseconds there_ps) {
    return here_ps - now_ps == there_ps - then_ps || (here_ps <= now_ps && there_ps <= then_ps);
  };
  if (!agree(made_[made].end_ps, trace_.end_ps(step))) return false;
  const Picoseconds* arrival_ps = arrivals_.data() + first_arrival_[made];
  for (std::uint32_t edge = trace_.first_edge(op); edge < trace_.first_edge(op + 1); ++edge) {
    if (!agree(*arrival_ps++, trace_.arrival_ps(step, edge))) return false;
  }
  return true;
}

void Replay::write_to(Trace& trace) const {
  std::size_t made = 0;
  Picoseconds later_ps = 0;
  for (const Stretch& stretch : stretches_) {
    for (std::size_t step = stretch.first; step < stretch.end; ++step, ++made) {
      trace.write(step, made_[made], arrivals_.data() + first_arrival_[made], later_ps);
    }
    trace.move(stretch.end, stretch.later_ps);
    later_ps += stretch.later_ps;
  }
}

}  // namespace placer

// The part of LateSchedule that finds what late ops wait for, and that sorts the order by start.
#include <functional>
#include <queue>
#include <span>
#include <tuple>
#include <utility>

#include "search/exact/late_schedule.hpp"

namespace placer {
namespace {

constexpr double kGoBack = 0.7;        // another step from a late op to what it waits for
constexpr double kReceiver = 1.0 / 3;  // the cause is who receives what held the channel
constexpr double kSender = 1.0 / 3;    // or who sent it; else what that waited for in turn

}  // namespace

OpId LateSchedule::draw_cause(Rng& rng) const {
  if (late_.empty()) return OpId(rng.below(ops_.size()));
  OpId op = rng.pick(std::span<const OpId>(late_));
  bool done = false;
  while (!done && rng.chance(kGoBack)) {
    const OpTime& time = ops_[op.index()];
    const Picoseconds wanted_ps = time.start_ps + time.late_ps;
    std::size_t ways = 0;
    std::uint32_t held = kNothing;
    OpId next = op;
    if (time.before != kNothing && ops_[time.before].end_ps == wanted_ps) {
      next = OpId(time.before);
      ++ways;
    }
    for (const TensorId tensor : problem_->graph().inputs(op)) {
      const Occupancy::Arrival& input = arrival(tensor, op);
      if (input.time_ps != wanted_ps || rng.below(++ways) != 0) continue;
      next = problem_->graph().tensor(tensor).producer;
      held = input.waited_for;
    }
    done = ways == 0;
    op = held == kNothing ? next : blocker(held, next, rng, done);
  }
  return op;
}

OpId LateSchedule::blocker(std::uint32_t copy, OpId producer, Rng& rng, bool& done) const {
  for (; copy != kNothing; copy = occupancy_.arrival(copy)->waited_for) {
    const Tensor& tensor = problem_->graph().tensor(TensorId(copy / devices_));
    producer = tensor.producer;
    const double kind = rng.uniform();
    done = kind < kReceiver + kSender;
    if (kind < kReceiver) return rng.pick(std::span<const OpId>(tensor.consumers));
    if (done) return producer;
  }
  return producer;
}

/// A topological order by start; capped ends may come before a producer's.
void LateSchedule::sort() {
  const Graph& graph = problem_->graph();
  using Key = std::tuple<Picoseconds, Picoseconds, std::size_t>;
  std::priority_queue<Key, std::vector<Key>, std::greater<>> ready;
  std::vector<std::size_t> missing(ops_.size());
  std::vector<OpId> after(ops_.size(), OpId(kNothing));
  const auto make_ready = [&](OpId op) {
    const OpTime& time = ops_[op.index()];
    ready.emplace(time.start_ps, time.end_ps, position_[op.index()]);
  };
  for (const OpId op : order_) {
    const bool follows = ops_[op.index()].before != kNothing;
    if (follows) after[ops_[op.index()].before] = op;
    missing[op.index()] = graph.inputs(op).size() + (follows ? 1 : 0);
    if (missing[op.index()] == 0) make_ready(op);
  }
  OpOrder sorted;
  while (!ready.empty()) {
    const OpId op = order_[std::get<2>(ready.top())];
    ready.pop();
    sorted.push_back(op);
    for (const TensorId tensor : graph.outputs(op)) {
      for (const OpId consumer : graph.tensor(tensor).consumers) {
        if (--missing[consumer.index()] == 0) make_ready(consumer);
      }
    }
    const OpId next = after[op.index()];
    if (next != OpId(kNothing) && --missing[next.index()] == 0) make_ready(next);
  }
  read(std::move(placement_), std::move(sorted));
}

}  // namespace placer

#include "search/bounds/call_sides.hpp"

#include <algorithm>

#include "search/joins/join_time.hpp"

namespace placer {

CallSides::CallSides(const CallCosts& costs, const PathPlaces& path)
    : costs_(costs),
      graph_(costs.problem.graph()),
      path_(path),
      way_ps_(costs.problem.op_count(), 0) {
  for (const Tensor& tensor : graph_.tensors()) {
    const bool all_alone =
        std::ranges::all_of(tensor.consumers, [&](OpId consumer) { return is_alone(consumer); });
    has_reader_in_group_.push_back(all_alone ? 0 : 1);
  }
  Watch watch(costs.problem.deadline());
  for (std::int64_t last = 0; last < path.length(); ++last) {
    watch.check(way_ps_.size());
    after_ps_.push_back(ways_after(last));
  }
}

/// Others of its group could be in the call by themselves, and count already.
bool CallSides::is_alone(OpId op) const {
  const Groups& groups = costs_.problem.groups();
  return groups.ops(groups.of(op)).size() == 1;
}

/// Of an op beside the run, with the dearest way that goes on from it.
Picoseconds CallSides::with_ps(OpId op, Picoseconds way_ps) const {
  if (!is_alone(op)) return 0;
  const Picoseconds call_ps = costs_.call_ps[op.index()];
  return call_ps == kNeverPs ? kNeverPs : call_ps + way_ps;
}

void CallSides::begin(std::size_t place) {
  first_ = place;
  const auto first = static_cast<std::int64_t>(place);
  for (const OpId op : graph_.program_order()) {
    if (path_.from[op.index()] >= first || path_.to[op.index()] < first) continue;
    Picoseconds dearest_ps = 0;
    for (const TensorId tensor : graph_.inputs(op)) {
      dearest_ps = std::max(dearest_ps, input_ps(tensor));
    }
    way_ps_[op.index()] = with_ps(op, dearest_ps);
  }
}

/// What it takes to have the input of an op beside the run in its call. Of a tensor from before the
/// run nothing where the run may have paid for it.
Picoseconds CallSides::input_ps(TensorId tensor) const {
  const auto first = static_cast<std::int64_t>(first_);
  if (path_.to[graph_.tensor(tensor).producer.index()] >= first) return before_ps(tensor);
  const bool may_count = path_.read_from[tensor.index()] >= first;
  return may_count || has_reader_in_group_[tensor.index()] != 0 ? 0
                                                                : costs_.copy_ps[tensor.index()];
}

Picoseconds CallSides::before_ps(TensorId tensor) const {
  return std::min(costs_.copy_ps[tensor.index()], way_ps_[graph_.tensor(tensor).producer.index()]);
}

/// By first place, the dearest way out of a run that ends at `last`.
std::vector<Picoseconds> CallSides::ways_after(std::int64_t last) {
  const auto is_beside = [&](OpId op) {
    return path_.to[op.index()] > last && path_.from[op.index()] <= last;
  };
  const auto output_ps = [&](TensorId tensor) {
    Picoseconds dearest_ps = 0;
    for (const OpId consumer : graph_.tensor(tensor).consumers) {
      if (is_beside(consumer)) dearest_ps = std::max(dearest_ps, way_ps_[consumer.index()]);
    }
    return std::min(dearest_ps, costs_.copy_ps[tensor.index()]);
  };
  std::vector<Picoseconds> dearest_ps(static_cast<std::size_t>(last) + 1, 0);
  const std::vector<OpId>& order = graph_.program_order();
  for (auto op = order.rbegin(); op != order.rend(); ++op) {
    const std::int64_t from = path_.from[op->index()];
    const bool may_run = from >= 0 && path_.to[op->index()] <= last;
    if (!may_run && !is_beside(*op)) continue;
    Picoseconds way_ps = 0;
    for (const TensorId tensor : graph_.outputs(*op)) {
      const bool must_cross = path_.read_from[tensor.index()] > last;
      if (must_cross && may_run) continue;  // it counts already
      way_ps = std::max(way_ps, must_cross ? costs_.copy_ps[tensor.index()] : output_ps(tensor));
    }
    if (may_run) {
      Picoseconds& dearest = dearest_ps[static_cast<std::size_t>(from)];
      dearest = std::max(dearest, way_ps);
    } else {
      way_ps_[op->index()] = with_ps(*op, way_ps);
    }
  }
  for (auto first = static_cast<std::size_t>(last); first-- > 0;) {
    dearest_ps[first] = std::max(dearest_ps[first], dearest_ps[first + 1]);
  }
  return dearest_ps;
}

}  // namespace placer

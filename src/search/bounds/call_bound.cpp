#include "search/bounds/call_bound.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "search/bounds/call_costs.hpp"
#include "search/bounds/call_sides.hpp"
#include "search/bounds/path_places.hpp"
#include "search/joins/join_time.hpp"

namespace placer {
namespace {

constexpr std::size_t kStepsOfCalls = 10'000'000;  // ops and their tensors, by places on the path

/// The least that a call takes and holds that has a run of a path's ops, as the run grows.
class CallOfRun {
 public:
  CallOfRun(const CallCosts& costs, const PathPlaces& path)
      : costs_(costs),
        graph_(costs.problem.graph()),
        path_(path),
        sides_(costs, path),
        counted_(costs.problem.op_count(), -1),
        copied_(costs.copy_ps.size(), -1),
        left_(path.ops.size() + 1) {}

  /// With no op yet; the first is to be at `place`.
  void begin(std::int64_t place);
  /// The run ends at `place` now, the next one. Returns the least time of the call, kNeverPs where
  /// no accelerator can run it.
  Picoseconds grow_to(std::int64_t place);
  /// Whether some accelerator has room for it, whatever leaves it.
  bool may_grow() const;

 private:
  struct Kind {
    Picoseconds work_ps = 0;
    bool is_barred = false;
  };
  struct Sent {
    Picoseconds ps = 0;
    std::int64_t bytes = 0;
  };

  void count(OpId op, std::int64_t place);
  bool has_room(std::size_t kind, std::int64_t sent_bytes) const {
    const Device& device = costs_.problem.topology().device(costs_.kinds[kind]);
    return !kinds_[kind].is_barred &&
           held_bytes_ + sent_bytes + largest_need_bytes_ <= device.memory_bytes;
  }

  const CallCosts& costs_;
  const Graph& graph_;
  const PathPlaces& path_;
  CallSides sides_;
  std::int64_t first_ = 0;
  std::vector<std::int64_t> counted_, copied_;  // by op, by tensor: the last first_ for which
  std::vector<Kind> kinds_;
  Picoseconds received_ps_ = 0, beside_ps_ = 0;
  std::int64_t held_bytes_ = 0, largest_need_bytes_ = 0;
  Sent sent_;
  std::vector<Sent> left_;  // by place: what is no longer sent by a run that reaches it
};

void CallOfRun::begin(std::int64_t place) {
  first_ = place;
  kinds_.assign(costs_.kinds.size(), {});
  received_ps_ = beside_ps_ = held_bytes_ = largest_need_bytes_ = 0;
  sides_.begin(static_cast<std::size_t>(place));
  sent_ = {};
  std::fill(left_.begin() + place, left_.end(), Sent{});
}

void CallOfRun::count(OpId op, std::int64_t place) {
  if (std::exchange(counted_[op.index()], first_) == first_) return;
  for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
    const DeviceId device = costs_.kinds[kind];
    kinds_[kind].is_barred = kinds_[kind].is_barred || !costs_.may_call(op, device);
    if (!kinds_[kind].is_barred) kinds_[kind].work_ps += costs_.problem.costs().op_ps(op, device);
  }
  held_bytes_ += graph_.op(op).params_bytes;
  largest_need_bytes_ = std::max(largest_need_bytes_, costs_.memory.need_bytes(op));
  for (const TensorId tensor : graph_.inputs(op)) {
    const Tensor& input = graph_.tensor(tensor);
    if (input.bytes == 0 || path_.to[input.producer.index()] >= first_) continue;
    if (std::exchange(copied_[tensor.index()], first_) == first_) continue;
    received_ps_ += costs_.copy_ps[tensor.index()];
    held_bytes_ += input.bytes;
  }
  for (const TensorId tensor : graph_.outputs(op)) {
    const Tensor& output = graph_.tensor(tensor);
    const bool stays = costs_.memory.stays(tensor);
    if (stays) held_bytes_ += output.bytes;
    const std::int64_t last = path_.read_from[tensor.index()];
    if (last <= place) continue;
    const Sent sent{costs_.copy_ps[tensor.index()], stays ? 0 : output.bytes};
    sent_.ps += sent.ps;
    sent_.bytes += sent.bytes;
    left_[static_cast<std::size_t>(last)].ps += sent.ps;
    left_[static_cast<std::size_t>(last)].bytes += sent.bytes;
  }
}

Picoseconds CallOfRun::grow_to(std::int64_t place) {
  const auto at = static_cast<std::size_t>(place);
  sent_.ps -= left_[at].ps;
  sent_.bytes -= left_[at].bytes;
  for (const OpId op : path_.ops_to[at]) {
    if (path_.from[op.index()] < first_) continue;
    const Groups& groups = costs_.problem.groups();
    for (const OpId together : groups.ops(groups.of(op))) count(together, place);
    for (const TensorId tensor : graph_.inputs(op)) {
      const std::size_t producer = graph_.tensor(tensor).producer.index();
      const bool is_beside = path_.from[producer] < first_ && path_.to[producer] >= first_;
      if (is_beside) beside_ps_ = std::max(beside_ps_, sides_.before_ps(tensor));
    }
  }
  const Picoseconds copies_ps = received_ps_ + sent_.ps + beside_ps_ + sides_.after_ps(at);
  Picoseconds least_ps = kNeverPs;
  for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
    if (!has_room(kind, sent_.bytes)) continue;
    least_ps = std::min(least_ps, kinds_[kind].work_ps + copies_ps);
  }
  return least_ps;
}

bool CallOfRun::may_grow() const {
  for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
    if (has_room(kind, 0)) return true;
  }
  return false;
}

/// The least time of the path's ops, by dynamic programming over its places and the calls so far.
Picoseconds bound_of_path(const CallCosts& costs, const PathPlaces& path) {
  const std::size_t length = path.ops.size(), calls = std::min(costs.calls, length);
  std::vector<std::vector<Picoseconds>> least_ps(length + 1,
                                                 std::vector<Picoseconds>(calls + 1, kNeverPs));
  least_ps[0][0] = 0;
  const auto reach = [](Picoseconds& to, Picoseconds from, Picoseconds time_ps) {
    if (from != kNeverPs && time_ps != kNeverPs) to = std::min(to, from + time_ps);
  };
  CallOfRun call(costs, path);
  Watch watch(costs.problem.deadline());
  for (std::size_t first = 0; first < length; ++first) {
    const Picoseconds host_ps = costs.host_ps[path.ops[first].index()];
    for (std::size_t used = 0; used <= calls; ++used) {
      reach(least_ps[first + 1][used], least_ps[first][used], host_ps);
    }
    call.begin(static_cast<std::int64_t>(first));
    for (std::size_t last = first; last < length; ++last) {
      const Picoseconds call_ps = call.grow_to(static_cast<std::int64_t>(last));
      watch.check(calls + path.ops_to[last].size());
      if (!call.may_grow()) break;
      for (std::size_t used = 0; used < calls; ++used) {
        reach(least_ps[last + 1][used + 1], least_ps[first][used], call_ps);
      }
    }
  }
  const Picoseconds best_ps = *std::ranges::min_element(least_ps[length]);
  return best_ps == kNeverPs ? 0 : best_ps;
}

}  // namespace

Picoseconds call_bound(const Problem& problem, const MemoryFit& fit) {
  const CallCosts costs(problem, fit);
  std::vector<double> least_ps, on_host_ps;
  for (std::size_t op = 0; op < costs.host_ps.size(); ++op) {
    const Picoseconds host_ps = costs.host_ps[op], call_ps = costs.call_ps[op];
    least_ps.push_back(static_cast<double>(std::min(host_ps, call_ps)));
    on_host_ps.push_back(static_cast<double>(host_ps == kNeverPs ? call_ps : host_ps));
  }
  Picoseconds bound_ps = 0;
  for (const std::vector<double>& times_ps : {least_ps, on_host_ps}) {
    std::vector<OpId> ops = longest_path(problem.graph(), times_ps);
    const std::size_t steps =
        problem.op_count() + problem.graph().edge_count() + ops.size() * costs.calls;
    if (steps > kStepsOfCalls / ops.size()) continue;
    bound_ps = std::max(bound_ps, bound_of_path(costs, PathPlaces(problem, std::move(ops))));
  }
  return bound_ps;
}

}  // namespace placer

#include "search/joins/heads_and_tails.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "search/joins/join_search.hpp"

namespace placer {
namespace {

constexpr std::size_t kStepsOfVisit = 16;

/// Heads, ops after their producers, or tails, ops before their consumers.
class Sweep {
 public:
  Sweep(const Problem& problem, const MemoryFit& fit, Toward toward, Depth depth,
        std::span<const Stretch> stretches)
      : problem_(problem),
        fit_(fit),
        toward_(toward),
        depth_(depth),
        kinds_(problem),
        times_ps_(problem.op_count() * kinds_.columns().count, kNeverPs),
        through_ps_(times_ps_),
        region_(problem, fit, toward),
        watch_(problem.deadline()) {
    for (const DeviceId first : kinds_.firsts()) places_.push_back(kinds_.places(first));
    for (const Stretch& stretch : stretches) {
      stretches_at_.emplace(toward == Toward::kEnd ? stretch.last : stretch.first, stretch);
    }
  }

  /// Raises heads, on paths of at least `from_ps`.
  void sharpen(const HeadsAndTails& known, Picoseconds from_ps) {
    known_ = &known;
    from_ps_ = from_ps;
    raised_.assign(problem_.op_count(), 0);
    join_search_.emplace(problem_, fit_);
  }

  std::vector<Picoseconds> times() {
    const std::vector<OpId>& order = problem_.graph().program_order();
    if (toward_ == Toward::kEnd) {
      std::ranges::for_each(order, [&](OpId op) { visit(op); });
    } else {
      std::for_each(order.rbegin(), order.rend(), [&](OpId op) { visit(op); });
    }
    return std::move(times_ps_);
  }

  /// Whether sharpening stopped early, after it had looked at much for nothing.
  bool has_given_up() const { return join_search_->has_given_up(); }

 private:
  std::size_t at(OpId op, DeviceId device) const { return kinds_.columns().at(op, device); }

  /// `here`, the first of its kind, and one other device of each kind.
  const std::vector<DeviceId>& places(DeviceId here) const {
    return places_[kinds_.columns().of[here.index()]];
  }

  void visit(OpId op) {
    watch_.check(kStepsOfVisit);
    const Picoseconds end_ps = through_stretches_ps(op);
    for (const DeviceId device : kinds_.firsts()) {
      if (!fit_.may_go(problem_.groups().of(op), device)) continue;
      const Picoseconds in_stretch_ps =
          toward_ == Toward::kEnd ? problem_.costs().op_ps(op, device) : 0;
      const Picoseconds time_ps = std::max(end_ps - in_stretch_ps, own_time(op, device));
      if (join_search_ && time_ps > known_->head_ps(op, device)) raised_[op.index()] = 1;
      times_ps_[at(op, device)] = time_ps;
      through_ps_[at(op, device)] = time_ps + problem_.costs().op_ps(op, device);
    }
  }

  /// What passes at least to the end of an op that ends stretches, or from the end of one that
  /// begins some.
  Picoseconds through_stretches_ps(OpId op) const {
    const std::vector<Picoseconds>& other_ps = toward_ == Toward::kEnd ? through_ps_ : times_ps_;
    Picoseconds longest_ps = 0;
    for (auto [next, end] = stretches_at_.equal_range(op); next != end; ++next) {
      const Stretch& stretch = next->second;
      const OpId other = toward_ == Toward::kEnd ? stretch.first : stretch.last;
      Picoseconds least_ps = kNeverPs;
      for (const DeviceId device : kinds_.firsts()) {
        least_ps = std::min(least_ps, other_ps[at(other, device)]);
      }
      longest_ps = std::max(longest_ps, least_ps + stretch.least_ps);
    }
    return longest_ps;
  }

  Picoseconds own_time(OpId op, DeviceId device) {
    return join_search_ ? sharp_time(op, device) : time(op, device);
  }

  Picoseconds time(OpId op, DeviceId here) {
    region_.find(op, places(here), depth_);
    joined_.clear();
    Picoseconds least_ps = 0;
    for (std::size_t i = 0; i < region_.ops().size(); ++i) {
      const OpId other = region_.ops()[i];
      const Picoseconds elsewhere = elsewhere_ps(i, places(here));
      if (fit_.may_go(problem_.groups().of(other), here)) {
        joined_.push_back({times_ps_[at(other, here)], problem_.costs().op_ps(other, here),
                           region_.path_ps(i, 0), elsewhere});
      } else {
        least_ps = std::max(least_ps, elsewhere);
      }
    }
    const std::int64_t slots = problem_.topology().device(here).slots;
    return std::max(least_ps, join_time_.earliest_ps(joined_, slots));
  }

  /// As known where no producer's head was raised and the path is not long.
  Picoseconds sharp_time(OpId op, DeviceId here) {
    const Picoseconds known_ps = known_->head_ps(op, here);
    const Picoseconds rest_ps = problem_.costs().op_ps(op, here) + known_->tail_ps(op, here);
    const auto inputs = problem_.graph().inputs(op);
    const bool is_late = std::ranges::any_of(inputs, [&](TensorId tensor) {
      return raised_[problem_.graph().tensor(tensor).producer.index()] != 0;
    });
    const bool may_search = !join_search_->has_given_up();
    if (!is_late && (!may_search || known_ps + rest_ps < from_ps_)) return known_ps;
    Picoseconds time_ps = std::max(known_ps, time(op, here));
    if (may_search && time_ps + rest_ps >= from_ps_) {
      const JoinBasis basis{op, places(here), times_ps_, kinds_.columns(), time_ps};
      time_ps = join_search_->start_ps(basis, region_);
    }
    return time_ps;
  }

  Picoseconds elsewhere_ps(std::size_t i, const std::vector<DeviceId>& places) const {
    Picoseconds least_ps = kNeverPs;
    for (std::size_t k = 1; k < places.size(); ++k) {
      const Picoseconds path_ps = region_.path_ps(i, k);
      if (path_ps == kNeverPs) continue;
      least_ps = std::min(least_ps, through_ps_[at(region_.ops()[i], places[k])] + path_ps);
    }
    return least_ps;
  }

  const Problem& problem_;
  const MemoryFit& fit_;
  const Toward toward_;
  const Depth depth_;
  const DeviceKinds kinds_;
  std::vector<Picoseconds> times_ps_, through_ps_;  // by columns of kinds_
  std::vector<std::vector<DeviceId>> places_;       // by kind
  std::multimap<OpId, Stretch> stretches_at_;       // by the end that the sweep meets last
  JoinRegion region_;
  std::vector<JoinedOp> joined_;
  JoinTime join_time_;
  std::optional<JoinSearch> join_search_;
  const HeadsAndTails* known_ = nullptr;
  Picoseconds from_ps_ = 0;
  std::vector<char> raised_;  // by op
  Watch watch_;
};

/// Heads or tails of the longest path of fastest ops, wherever they run.
std::vector<Picoseconds> path_times(const Problem& problem, Toward toward) {
  const Graph& graph = problem.graph();
  std::vector<Picoseconds> times_ps(problem.op_count(), 0);
  const auto lengthen = [&](OpId op, OpId next) {
    times_ps[next.index()] =
        std::max(times_ps[next.index()], times_ps[op.index()] + problem.fastest_ps(op));
  };
  const std::vector<OpId>& order = graph.program_order();
  if (toward == Toward::kEnd) {
    for (const OpId op : order) {
      for (const TensorId output : graph.outputs(op)) {
        for (const OpId consumer : graph.tensor(output).consumers) lengthen(op, consumer);
      }
    }
    return times_ps;
  }
  for (auto op = order.rbegin(); op != order.rend(); ++op) {
    for (const TensorId input : graph.inputs(*op)) lengthen(*op, graph.tensor(input).producer);
  }
  return times_ps;
}

std::vector<Picoseconds> least_by_op(const std::vector<Picoseconds>& times_ps,
                                     std::size_t devices) {
  std::vector<Picoseconds> least_ps;
  for (auto first = times_ps.begin(); first != times_ps.end();
       first += static_cast<std::ptrdiff_t>(devices)) {
    least_ps.push_back(*std::min_element(first, first + static_cast<std::ptrdiff_t>(devices)));
  }
  return least_ps;
}

}  // namespace

HeadsAndTails fork_join_times(const Problem& problem, const MemoryFit& fit, Depth depth,
                              std::span<const Stretch> stretches) {
  HeadsAndTails times;
  const DeviceKinds kinds(problem);
  if (kinds.are_too_many(problem.op_count())) {
    times.columns = {1, std::vector<std::uint32_t>(problem.device_count(), 0)};
    times.heads_ps = times.least_heads_ps = path_times(problem, Toward::kEnd);
    times.tails_ps = times.least_tails_ps = path_times(problem, Toward::kStart);
    return times;
  }
  times.columns = kinds.columns();
  times.heads_ps = Sweep(problem, fit, Toward::kEnd, depth, stretches).times();
  times.tails_ps = Sweep(problem, fit, Toward::kStart, depth, stretches).times();
  times.least_heads_ps = least_by_op(times.heads_ps, times.columns.count);
  times.least_tails_ps = least_by_op(times.tails_ps, times.columns.count);
  return times;
}

bool sharpen_heads(const Problem& problem, const MemoryFit& fit, Picoseconds from_ps,
                   std::span<const Stretch> stretches, HeadsAndTails& times) {
  if (DeviceKinds(problem).are_too_many(problem.op_count())) {
    return false;
  }
  Sweep sweep(problem, fit, Toward::kEnd, Depth::kBranches, stretches);
  sweep.sharpen(times, from_ps);
  times.heads_ps = sweep.times();
  times.least_heads_ps = least_by_op(times.heads_ps, times.columns.count);
  return !sweep.has_given_up();
}

Picoseconds least_step_ps(const Problem& problem, const HeadsAndTails& times, GroupId group,
                          DeviceId device) {
  Picoseconds longest_ps = 0, head_ps = kNeverPs, tail_ps = kNeverPs, work_ps = 0;
  for (const OpId op : problem.groups().ops(group)) {
    const Picoseconds op_ps = problem.costs().op_ps(op, device);
    const Picoseconds op_head_ps = times.head_ps(op, device);
    const Picoseconds op_tail_ps = times.tail_ps(op, device);
    longest_ps = std::max(longest_ps, op_head_ps + op_ps + op_tail_ps);
    head_ps = std::min(head_ps, op_head_ps);
    tail_ps = std::min(tail_ps, op_tail_ps);
    work_ps += op_ps;
  }
  const std::int64_t slots = problem.topology().device(device).slots;
  const Picoseconds shared_ps = work_ps / slots + (work_ps % slots != 0 ? 1 : 0);
  return std::max(longest_ps, head_ps + shared_ps + tail_ps);
}

Picoseconds fork_join_bound(const Problem& problem, const MemoryFit& fit,
                            const HeadsAndTails& times) {
  Picoseconds bound_ps = 0;
  for (const GroupId group : IdRange<GroupId>(problem.groups().size())) {
    Picoseconds least_ps = kNeverPs;
    for (const DeviceId device : fit.devices(group)) {
      if (problem.first_identical(device) != device) continue;
      least_ps = std::min(least_ps, least_step_ps(problem, times, group, device));
    }
    bound_ps = std::max(bound_ps, least_ps);
  }
  return bound_ps;
}

}  // namespace placer

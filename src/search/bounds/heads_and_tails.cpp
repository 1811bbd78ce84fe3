#include "search/bounds/heads_and_tails.hpp"

#include <algorithm>
#include <optional>

#include "search/bounds/join_search.hpp"

namespace placer {
namespace {

constexpr Picoseconds kNever = HeadsAndTails::kNever;
constexpr std::size_t kStepsOfVisit = 16;

/// Heads, ops after their producers, or tails, ops before their consumers.
class Sweep {
 public:
  Sweep(const Problem& problem, const MemoryFit& fit, Toward toward, Depth depth)
      : problem_(problem),
        fit_(fit),
        toward_(toward),
        depth_(depth),
        times_ps_(problem.op_count() * problem.device_count(), kNever),
        through_ps_(times_ps_),
        region_(problem, fit, toward),
        watch_(problem.deadline()) {
    for (const DeviceId here : IdRange<DeviceId>(problem.device_count())) find_places(here);
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
  std::size_t at(OpId op, DeviceId device) const {
    return op.index() * problem_.device_count() + device.index();
  }

  /// The first device that is like `device` for all ops.
  DeviceId kind(DeviceId device) const {
    return fit_.is_fixed() ? device : problem_.first_identical(device);
  }

  /// `here`, and one other device of each kind.
  void find_places(DeviceId here) {
    std::vector<DeviceId>& places = places_.emplace_back(1, here);
    for (const DeviceId device : IdRange<DeviceId>(problem_.device_count())) {
      const bool is_first = std::none_of(places.begin() + 1, places.end(), [&](DeviceId place) {
        return kind(place) == kind(device);
      });
      if (device != here && is_first) places.push_back(device);
    }
  }

  void visit(OpId op) {
    watch_.check(kStepsOfVisit);
    for (const DeviceId device : fit_.devices(problem_.groups().of(op))) {
      const DeviceId like = kind(device);
      const Picoseconds time_ps = like == device ? own_time(op, device) : times_ps_[at(op, like)];
      times_ps_[at(op, device)] = time_ps;
      through_ps_[at(op, device)] = time_ps + problem_.costs().op_ps(op, device);
    }
  }

  Picoseconds own_time(OpId op, DeviceId device) {
    return join_search_ ? sharp_time(op, device) : time(op, device);
  }

  Picoseconds time(OpId op, DeviceId here) {
    const std::vector<DeviceId>& places = places_[here.index()];
    region_.find(op, places, depth_);
    joined_.clear();
    Picoseconds least_ps = 0;
    for (std::size_t i = 0; i < region_.ops().size(); ++i) {
      const OpId other = region_.ops()[i];
      const Picoseconds elsewhere = elsewhere_ps(i, places);
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
    const Picoseconds known_ps = known_->heads_ps[at(op, here)];
    const Picoseconds rest_ps = problem_.costs().op_ps(op, here) + known_->tails_ps[at(op, here)];
    const auto inputs = problem_.graph().inputs(op);
    const bool is_late = std::ranges::any_of(inputs, [&](TensorId tensor) {
      return raised_[problem_.graph().tensor(tensor).producer.index()] != 0;
    });
    const bool may_search = !join_search_->has_given_up();
    if (!is_late && (!may_search || known_ps + rest_ps < from_ps_)) return known_ps;
    Picoseconds time_ps = std::max(known_ps, time(op, here));
    if (may_search && time_ps + rest_ps >= from_ps_) {
      const JoinBasis basis{op, places_[here.index()], times_ps_, problem_.device_count(), time_ps};
      time_ps = join_search_->start_ps(basis, region_);
    }
    if (time_ps > known_ps) raised_[op.index()] = 1;
    return time_ps;
  }

  Picoseconds elsewhere_ps(std::size_t i, const std::vector<DeviceId>& places) const {
    Picoseconds least_ps = kNever;
    for (std::size_t k = 1; k < places.size(); ++k) {
      const Picoseconds path_ps = region_.path_ps(i, k);
      if (path_ps == kNever) continue;
      least_ps = std::min(least_ps, through_ps_[at(region_.ops()[i], places[k])] + path_ps);
    }
    return least_ps;
  }

  const Problem& problem_;
  const MemoryFit& fit_;
  const Toward toward_;
  const Depth depth_;
  std::vector<Picoseconds> times_ps_, through_ps_;  // op * devices + device
  std::vector<std::vector<DeviceId>> places_;       // by device
  JoinRegion region_;
  std::vector<JoinedOp> joined_;
  JoinTime join_time_;
  std::optional<JoinSearch> join_search_;
  const HeadsAndTails* known_ = nullptr;
  Picoseconds from_ps_ = 0;
  std::vector<char> raised_;  // by op
  Watch watch_;
};

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

HeadsAndTails fork_join_times(const Problem& problem, const MemoryFit& fit, Depth depth) {
  HeadsAndTails times;
  times.heads_ps = Sweep(problem, fit, Toward::kEnd, depth).times();
  times.tails_ps = Sweep(problem, fit, Toward::kStart, depth).times();
  times.least_heads_ps = least_by_op(times.heads_ps, problem.device_count());
  times.least_tails_ps = least_by_op(times.tails_ps, problem.device_count());
  return times;
}

bool sharpen_heads(const Problem& problem, const MemoryFit& fit, Picoseconds from_ps,
                   HeadsAndTails& times) {
  Sweep sweep(problem, fit, Toward::kEnd, Depth::kBranches);
  sweep.sharpen(times, from_ps);
  times.heads_ps = sweep.times();
  times.least_heads_ps = least_by_op(times.heads_ps, problem.device_count());
  return !sweep.has_given_up();
}

Picoseconds fork_join_bound(const Problem& problem, const MemoryFit& fit,
                            const HeadsAndTails& times) {
  const auto through_ps = [&](GroupId group, DeviceId device) {
    Picoseconds longest_ps = 0, head_ps = kNever, tail_ps = kNever, work_ps = 0;
    for (const OpId op : problem.groups().ops(group)) {
      const std::size_t at = op.index() * problem.device_count() + device.index();
      const Picoseconds op_ps = problem.costs().op_ps(op, device);
      longest_ps = std::max(longest_ps, times.heads_ps[at] + op_ps + times.tails_ps[at]);
      head_ps = std::min(head_ps, times.heads_ps[at]);
      tail_ps = std::min(tail_ps, times.tails_ps[at]);
      work_ps += op_ps;
    }
    const std::int64_t slots = problem.topology().device(device).slots;
    const Picoseconds shared_ps = work_ps / slots + (work_ps % slots != 0 ? 1 : 0);
    return std::max(longest_ps, head_ps + shared_ps + tail_ps);
  };
  Picoseconds bound_ps = 0;
  for (const GroupId group : IdRange<GroupId>(problem.groups().size())) {
    Picoseconds least_ps = kNever;
    for (const DeviceId device : fit.devices(group)) {
      least_ps = std::min(least_ps, through_ps(group, device));
    }
    bound_ps = std::max(bound_ps, least_ps);
  }
  return bound_ps;
}

}  // namespace placer

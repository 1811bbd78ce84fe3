#include "search/heads_and_tails.hpp"

#include <algorithm>

namespace placer {
namespace {

constexpr Picoseconds kNever = HeadsAndTails::kNever;

/// An op next to the one at hand: if on its device, not before `release_ps` and `work_ps` long;
/// else done with at `elsewhere_ps` at the earliest.
struct Job {
  Picoseconds release_ps, work_ps, elsewhere_ps;
};

/// When a device could be done with the jobs that cannot be elsewhere by `limit_ps`; by release.
Picoseconds done_ps(const std::vector<Job>& jobs, Picoseconds limit_ps, std::int64_t slots) {
  Picoseconds last_ps = 0;
  __int128 work = 0;  // slots times the time at which work would be done with, evenly shared
  for (const Job& job : jobs) {
    if (job.elsewhere_ps <= limit_ps) continue;
    work = std::max(work, static_cast<__int128>(slots) * job.release_ps) + job.work_ps;
    last_ps = std::max(last_ps, job.release_ps + job.work_ps);
  }
  return std::max(last_ps, static_cast<Picoseconds>((work + slots - 1) / slots));
}

/// The least T by which every job is done with, here or elsewhere.
Picoseconds earliest_ps(std::vector<Job>& jobs, std::vector<Picoseconds>& limits_ps,
                        std::int64_t slots) {
  if (jobs.empty()) return 0;
  if (jobs.size() == 1) {
    return std::min(jobs[0].release_ps + jobs[0].work_ps, jobs[0].elsewhere_ps);
  }
  std::ranges::sort(jobs, {}, &Job::release_ps);
  limits_ps.assign(1, 0);
  for (const Job& job : jobs) limits_ps.push_back(job.elsewhere_ps);
  std::ranges::sort(limits_ps);
  const auto first = std::ranges::partition_point(
      limits_ps, [&](Picoseconds limit) { return done_ps(jobs, limit, slots) > limit; });
  if (first == limits_ps.begin()) return *first;
  const Picoseconds before_ps = done_ps(jobs, *std::prev(first), slots);
  return first == limits_ps.end() ? before_ps : std::min(*first, before_ps);
}

/// Heads, ops after their producers, or tails, ops before their consumers.
class Sweep {
 public:
  enum class Toward { kEnd, kStart };

  Sweep(const Problem& problem, const MemoryFit& fit, Toward toward)
      : problem_(problem),
        fit_(fit),
        toward_(toward),
        times_ps_(problem.op_count() * problem.device_count(), kNever),
        through_ps_(times_ps_) {}

  std::vector<Picoseconds> times() {
    const std::vector<OpId>& order = problem_.graph().program_order();
    if (toward_ == Toward::kEnd) {
      std::ranges::for_each(order, [&](OpId op) { visit(op); });
    } else {
      std::for_each(order.rbegin(), order.rend(), [&](OpId op) { visit(op); });
    }
    return std::move(times_ps_);
  }

 private:
  struct Neighbour {
    OpId op;
    TensorId tensor;
    friend auto operator<=>(const Neighbour&, const Neighbour&) = default;
  };

  std::size_t at(OpId op, DeviceId device) const {
    return op.index() * problem_.device_count() + device.index();
  }

  void visit(OpId op) {
    find_neighbours(op);
    for (const DeviceId device : fit_.devices(problem_.groups().of(op))) {
      const Picoseconds time_ps = time(op, device);
      times_ps_[at(op, device)] = time_ps;
      through_ps_[at(op, device)] = time_ps + problem_.costs().op_ps(op, device);
    }
  }

  void find_neighbours(OpId op) {
    const Graph& graph = problem_.graph();
    neighbours_.clear();
    if (toward_ == Toward::kEnd) {
      for (const TensorId id : graph.inputs(op)) {
        neighbours_.push_back({graph.tensor(id).producer, id});
      }
    } else {
      for (const TensorId id : graph.outputs(op)) {
        for (const OpId consumer : graph.tensor(id).consumers)
          neighbours_.push_back({consumer, id});
      }
    }
    std::ranges::sort(neighbours_);
  }

  Picoseconds time(OpId op, DeviceId device) {
    jobs_.clear();
    Picoseconds least_ps = 0;
    for (auto next = neighbours_.begin(); next != neighbours_.end();) {
      const OpId other = next->op;
      Picoseconds elsewhere = 0;
      for (; next != neighbours_.end() && next->op == other; ++next) {
        elsewhere = std::max(elsewhere, elsewhere_ps(op, *next, device));
      }
      if (fit_.may_go(problem_.groups().of(other), device)) {
        jobs_.push_back(
            {times_ps_[at(other, device)], problem_.costs().op_ps(other, device), elsewhere});
      } else {
        least_ps = std::max(least_ps, elsewhere);
      }
    }
    const std::int64_t slots = problem_.topology().device(device).slots;
    return std::max(least_ps, earliest_ps(jobs_, limits_ps_, slots));
  }

  Picoseconds elsewhere_ps(OpId op, const Neighbour& next, DeviceId device) const {
    const GroupId group = problem_.groups().of(next.op);
    if (group == problem_.groups().of(op)) return kNever;
    Picoseconds least_ps = kNever;
    for (const DeviceId other : fit_.devices(group)) {
      if (other == device) continue;
      const DeviceId from = toward_ == Toward::kEnd ? other : device;
      const DeviceId to = toward_ == Toward::kEnd ? device : other;
      least_ps = std::min(least_ps, through_ps_[at(next.op, other)] +
                                        problem_.costs().transfer_ps(next.tensor, from, to));
    }
    return least_ps;
  }

  const Problem& problem_;
  const MemoryFit& fit_;
  const Toward toward_;
  std::vector<Picoseconds> times_ps_, through_ps_;  // op * devices + device
  std::vector<Neighbour> neighbours_;               // of the op at hand
  std::vector<Job> jobs_;
  std::vector<Picoseconds> limits_ps_;
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

HeadsAndTails fork_join_times(const Problem& problem, const MemoryFit& fit) {
  HeadsAndTails times;
  times.heads_ps = Sweep(problem, fit, Sweep::Toward::kEnd).times();
  times.tails_ps = Sweep(problem, fit, Sweep::Toward::kStart).times();
  times.least_heads_ps = least_by_op(times.heads_ps, problem.device_count());
  times.least_tails_ps = least_by_op(times.tails_ps, problem.device_count());
  return times;
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

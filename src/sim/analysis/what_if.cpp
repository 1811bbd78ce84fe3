#include "placer/sim/what_if.hpp"

#include <utility>

namespace placer {
namespace {

/// An evaluation may not ask the deadline by itself.
void stop_late(const Problem& problem) {
  if (problem.deadline().passed()) throw Stopped();
}

Topology with_faster_links(const Topology& topology, double times) {
  std::vector<Link> links = topology.links();
  for (Link& link : links) {
    scale_bandwidth(link, times);
    link.latency_seconds /= times;
  }
  return {topology.devices(), std::move(links), topology.contention(), topology.transfers()};
}

/// Each op with its time on its own device alone.
Graph with_faster_ops(const PlacedStep& step, const Speedup& speedup) {
  const Problem& problem = step.problem;
  std::vector<Op> ops = problem.graph().ops();
  for (const OpId id : IdRange<OpId>(ops.size())) {
    const DeviceId device = step.placement[problem.groups().of(id)];
    const double times = speedup.devices.empty() ? 1 : speedup.devices[device.index()];
    const std::string& name = problem.topology().device(device).name;
    Op& op = ops[id.index()];
    op.seconds.assign(1, {name, to_seconds(problem.costs().op_ps(id, device)) / times});
    op.devices.assign(1, name);
  }
  std::vector<Tensor> tensors = problem.graph().tensors();
  for (Tensor& tensor : tensors) {
    if (tensor.transfer_seconds) *tensor.transfer_seconds /= speedup.links;
  }
  return {problem.graph().name(), std::move(ops), std::move(tensors)};
}

std::vector<GroupId> groups_of(const Problem& problem) {
  std::vector<GroupId> groups;
  for (const OpId op : IdRange<OpId>(problem.op_count())) {
    groups.push_back(problem.groups().of(op));
  }
  return groups;
}

/// What each device holds at most, whatever runs when: its ops with all that they make, at once,
/// and all that they read from other devices.
class MostHeld {
 public:
  MostHeld(const Problem& problem, const Placement& placement) : problem_(problem) {
    of_group_.resize(problem.groups().size(), 0);
    of_device_.resize(problem.device_count(), 0);
    for (const OpId op : IdRange<OpId>(problem.op_count())) {
      const GroupId group = problem.groups().of(op);
      double bytes = 0;
      const Op& what = problem.graph().op(op);
      bytes += static_cast<double>(what.params_bytes) + static_cast<double>(what.temp_bytes);
      for (const TensorId tensor : problem.graph().outputs(op)) bytes += bytes_of(tensor);
      for (const TensorId tensor : problem.graph().inputs(op)) bytes += bytes_of(tensor);
      of_group_[group.index()] += bytes;
      of_device_[placement[group].index()] += bytes;
      everything_ += bytes;
    }
  }

  bool may_overflow(DeviceId device, std::optional<GroupId> moved) const {
    const double bytes =
        moved ? of_device_[device.index()] + of_group_[moved->index()] : everything_;
    return problem_.goal().objective != Objective::kLatency ||
           bytes > static_cast<double>(problem_.topology().device(device).memory_bytes);
  }

 private:
  double bytes_of(TensorId tensor) const {
    return static_cast<double>(problem_.graph().tensor(tensor).bytes);
  }

  const Problem& problem_;
  std::vector<double> of_group_, of_device_;
  double everything_ = 0;
};

/// Keeps the best of the moves that memory bars, by device.
class BarredMoves {
 public:
  BarredMoves(const PlacedStep& step, const Score& now)
      : step_(step),
        now_(now),
        simulator_(step.problem, step.order),
        best_(step.problem.device_count()) {}

  void look(const Placement& moved, DeviceId device, std::optional<GroupId> group) {
    stop_late(step_.problem);
    const Score score = simulator_.evaluate(moved, step_.sequence);
    std::optional<BarredMove>& best = best_[device.index()];
    const Picoseconds limit_ps = best ? best->step_ps : now_.step_ps;
    if (score.overflow_bytes <= now_.overflow_bytes || score.step_ps >= limit_ps) return;
    simulator_.evaluate(moved, step_.sequence, &schedule_);
    const std::int64_t missing_bytes =
        schedule_.peak_bytes[device.index()] - step_.problem.topology().device(device).memory_bytes;
    if (missing_bytes > 0) best = BarredMove{group, score.step_ps, missing_bytes};
  }

  std::vector<std::optional<BarredMove>> best() && { return std::move(best_); }

 private:
  const PlacedStep& step_;
  const Score& now_;
  Simulator simulator_;
  Schedule schedule_;
  std::vector<std::optional<BarredMove>> best_;
};

}  // namespace

Score score_if(const PlacedStep& step, const Speedup& speedup) {
  const Problem& problem = step.problem;
  stop_late(problem);
  const Problem faster =
      Problem(with_faster_ops(step, speedup), with_faster_links(problem.topology(), speedup.links))
          .with_groups(groups_of(problem))
          .with_goal(problem.goal())
          .within(problem.deadline());
  return Simulator(faster, step.order).evaluate(step.placement, step.sequence);
}

std::vector<std::optional<BarredMove>> barred_moves(const PlacedStep& step, const Score& now,
                                                    const std::vector<OpId>& ops,
                                                    std::size_t most_simulations) {
  const Problem& problem = step.problem;
  BarredMoves moves(step, now);
  const MostHeld held(problem, step.placement);
  std::size_t left = most_simulations;
  for (const DeviceId device : IdRange<DeviceId>(problem.device_count())) {
    const std::optional<Placement> alone = problem.all_on(device);
    if (!alone || !held.may_overflow(device, std::nullopt)) continue;
    if (left-- == 0) return std::move(moves).best();
    moves.look(*alone, device, std::nullopt);
  }
  std::vector<char> seen(problem.groups().size(), 0);
  Placement placement = step.placement;
  for (const OpId op : ops) {
    const GroupId group = problem.groups().of(op);
    if (std::exchange(seen[group.index()], 1) != 0) continue;
    const DeviceId home = placement[group];
    for (const DeviceId device : problem.groups().allowed(group)) {
      if (device == home || !held.may_overflow(device, group)) continue;
      if (left-- == 0) return std::move(moves).best();
      placement[group] = device;
      moves.look(placement, device, group);
    }
    placement[group] = home;
  }
  return std::move(moves).best();
}

}  // namespace placer

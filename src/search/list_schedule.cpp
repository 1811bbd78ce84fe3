#include "search/list_schedule.hpp"

#include <algorithm>

namespace placer {
std::vector<double> mean_upward_ranks(const Problem& problem, const MeanCosts& costs) {
  const Graph& graph = problem.graph();
  std::vector<double> ranks(problem.op_count(), 0);
  for (auto op = graph.program_order().rbegin(); op != graph.program_order().rend(); ++op) {
    double longest_ps = 0;
    for (const TensorId tensor : graph.outputs(*op)) {
      for (const OpId consumer : graph.tensor(tensor).consumers) {
        longest_ps =
            std::max(longest_ps, costs.tensor_ps[tensor.index()] + ranks[consumer.index()]);
      }
    }
    ranks[op->index()] = costs.op_ps[op->index()] + longest_ps;
  }
  return ranks;
}

std::vector<double> mean_downward_ranks(const Problem& problem, const MeanCosts& costs) {
  const Graph& graph = problem.graph();
  std::vector<double> ranks(problem.op_count(), 0);
  for (const OpId op : graph.program_order()) {
    for (const TensorId tensor : graph.inputs(op)) {
      const std::size_t producer = graph.tensor(tensor).producer.index();
      ranks[op.index()] = std::max(ranks[op.index()], ranks[producer] + costs.op_ps[producer] +
                                                          costs.tensor_ps[tensor.index()]);
    }
  }
  return ranks;
}

std::vector<OpId> by_upward_rank(const Problem& problem, const std::vector<double>& ranks) {
  std::vector<OpId> order = problem.graph().program_order();
  std::ranges::stable_sort(order,
                           [&](OpId a, OpId b) { return ranks[a.index()] > ranks[b.index()]; });
  return order;
}

std::vector<std::int64_t> static_bytes(const Problem& problem) {
  std::vector<std::int64_t> bytes(problem.groups().size(), 0);
  for (const OpId op : IdRange<OpId>(problem.op_count())) {
    std::int64_t& sum = bytes[problem.groups().of(op).index()];
    sum += problem.graph().op(op).params_bytes;
    for (const TensorId id : problem.graph().outputs(op)) {
      const Tensor& tensor = problem.graph().tensor(id);
      if (tensor.keep) sum += tensor.bytes;
    }
  }
  return bytes;
}

Picoseconds Timeline::first_fit(Picoseconds ready_ps, Picoseconds duration_ps) const {
  auto next = std::ranges::partition_point(
      busy_, [&](const Stretch& stretch) { return stretch.end_ps <= ready_ps; });
  Picoseconds start_ps = ready_ps;
  for (; next != busy_.end(); ++next) {
    if (start_ps + duration_ps <= next->begin_ps) return start_ps;
    start_ps = next->end_ps;
  }
  return start_ps;
}

void Timeline::occupy(Picoseconds start_ps, Picoseconds duration_ps) {
  const Picoseconds end_ps = start_ps + duration_ps;
  const auto next = std::ranges::partition_point(
      busy_, [&](const Stretch& stretch) { return stretch.end_ps <= start_ps; });
  const bool joins_last = next != busy_.begin() && std::prev(next)->end_ps == start_ps;
  const bool joins_next = next != busy_.end() && next->begin_ps == end_ps;
  if (joins_last && joins_next) {
    std::prev(next)->end_ps = next->end_ps;
    busy_.erase(next);
  } else if (joins_last) {
    std::prev(next)->end_ps = end_ps;
  } else if (joins_next) {
    next->begin_ps = start_ps;
  } else {
    busy_.insert(next, {start_ps, end_ps});
  }
}

ListSchedule::ListSchedule(const Problem& problem, Rules rules)
    : problem_(&problem),
      rules_(rules),
      static_bytes_(static_bytes(problem)),
      held_bytes_(problem.device_count(), 0),
      slots_(problem.device_count()),
      fixed_(problem.groups().size()),
      runs_(problem.op_count()) {}

std::int64_t ListSchedule::room(DeviceId device) const {
  return problem_->topology().device(device).memory_bytes - held_bytes_[device.index()];
}

bool ListSchedule::has_room(GroupId group, DeviceId device) const {
  return !rules_.memory || static_bytes_[group.index()] <= room(device);
}

std::vector<DeviceId> ListSchedule::candidates(GroupId group) const {
  if (is_fixed(group)) return {*fixed_[group.index()]};
  const auto allowed = problem_->groups().allowed(group);
  std::vector<DeviceId> roomy;
  std::ranges::copy_if(allowed, std::back_inserter(roomy),
                       [&](DeviceId device) { return has_room(group, device); });
  if (!roomy.empty()) return roomy;
  return {*std::ranges::max_element(allowed, {}, [&](DeviceId device) { return room(device); })};
}

Picoseconds ListSchedule::ready_ps(OpId op, DeviceId device) const {
  Picoseconds ready_ps = 0;
  for (const TensorId tensor : problem_->graph().inputs(op)) {
    const OpRun& producer = runs_[problem_->graph().tensor(tensor).producer.index()];
    ready_ps = std::max(
        ready_ps, producer.end_ps + problem_->costs().transfer_ps(tensor, producer.device, device));
  }
  return ready_ps;
}

ListSchedule::Spot ListSchedule::earliest(OpId op, DeviceId device) const {
  const Picoseconds ready = ready_ps(op, device);
  const Picoseconds duration_ps = problem_->costs().op_ps(op, device);
  const std::vector<Timeline>& used = slots_[device.index()];
  const auto all_slots = static_cast<std::size_t>(problem_->topology().device(device).slots);
  std::optional<Picoseconds> start_ps;
  std::size_t slot = 0;
  for (std::size_t s = 0; s < used.size() && start_ps != ready; ++s) {
    const Picoseconds found_ps = rules_.insertion ? used[s].first_fit(ready, duration_ps)
                                                  : std::max(ready, used[s].end_ps());
    if (start_ps && *start_ps <= found_ps) continue;
    start_ps = found_ps;
    slot = s;
  }
  if (start_ps != ready && used.size() < all_slots) {
    start_ps = ready;
    slot = used.size();
  }
  return {device, slot, *start_ps, *start_ps + duration_ps};
}

ListSchedule::Spot ListSchedule::earliest(OpId op) const {
  std::optional<Spot> best;
  for (const DeviceId device : candidates(problem_->groups().of(op))) {
    const Spot spot = earliest(op, device);
    if (!best || spot.end_ps < best->end_ps) best = spot;
  }
  return *best;
}

void ListSchedule::fix(GroupId group, DeviceId device) {
  if (is_fixed(group)) return;
  fixed_[group.index()] = device;
  held_bytes_[device.index()] += static_bytes_[group.index()];
}

void ListSchedule::place(OpId op, const Spot& spot) {
  fix(problem_->groups().of(op), spot.device);
  std::vector<Timeline>& used = slots_[spot.device.index()];
  if (spot.slot == used.size()) used.emplace_back();
  used[spot.slot].occupy(spot.start_ps, spot.end_ps - spot.start_ps);
  placed_.push_back(op);
  runs_[op.index()] = {op, spot.device, spot.start_ps, spot.end_ps};
  makespan_ps_ = std::max(makespan_ps_, spot.end_ps);
}

Placement ListSchedule::placement() const {
  Placement placement;
  for (const std::optional<DeviceId>& device : fixed_) placement.devices.push_back(*device);
  return placement;
}

OpOrder ListSchedule::order() const {
  OpOrder order = placed_;
  std::ranges::stable_sort(order, {}, [&](OpId op) { return runs_[op.index()].start_ps; });
  return order;
}

ListSchedule heft_schedule(const Problem& problem, ListSchedule::Rules rules) {
  ListSchedule schedule(problem, rules);
  const std::vector<double> ranks = mean_upward_ranks(problem, mean_costs(problem));
  for (const OpId op : by_upward_rank(problem, ranks)) schedule.place(op, schedule.earliest(op));
  return schedule;
}

}  // namespace placer

#include "search/lists/list_schedule.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "search/groups/device_packing.hpp"
#include "search/groups/group_memory.hpp"

namespace placer {

ListSchedule::ListSchedule(const Problem& problem, Rules rules)
    : problem_(&problem),
      rules_(rules),
      group_bytes_(bytes_of_groups(
          problem, [&](const GroupMemory& memory) { return memory.kept_and(rules.activations); })),
      held_bytes_(problem.device_count(), 0),
      slots_(problem.device_count()),
      fixed_(problem.groups().size(), 0),
      devices_(problem.groups().size()),
      runs_(problem.op_count(), OpRun{OpId(0), DeviceId(0), -1, -1}),
      fast_(problem.device_count(), rules.fast_only ? 0 : 1),
      ready_ps_(problem.device_count(), 0) {
  placed_.reserve(problem.op_count());
  const std::int64_t all_bytes =
      std::accumulate(group_bytes_.begin(), group_bytes_.end(), std::int64_t{0});
  tight_ =
      rules.memory && std::ranges::any_of(problem.topology().devices(), [&](const Device& device) {
        return device.memory_bytes < all_bytes;
      });
  if (rules.fast_only) {
    for (const DeviceId device : fast_devices(problem)) fast_[device.index()] = 1;
  }
  if (rules.contention) transfers_.emplace(problem);
}

std::int64_t ListSchedule::room(DeviceId device) const {
  return problem_->topology().device(device).memory_bytes - held_bytes_[device.index()];
}

bool ListSchedule::has_room(GroupId group, DeviceId device) const {
  return !tight_ || group_bytes_[group.index()] <= room(device);
}

bool ListSchedule::overflows() const {
  for (const DeviceId device : IdRange<DeviceId>(problem_->device_count())) {
    if (tight_ && room(device) < 0) return true;
  }
  return false;
}

std::span<const DeviceId> ListSchedule::candidates(GroupId group) {
  if (is_fixed(group)) return {&devices_[group.index()], 1};
  const std::span<const DeviceId> allowed = problem_->groups().allowed(group);
  if (!tight_ && !rules_.fast_only) return allowed;
  roomy_.clear();
  bool any_fast = false;
  for (const DeviceId device : allowed) {
    if (!has_room(group, device)) continue;
    roomy_.push_back(device);
    any_fast = any_fast || fast_[device.index()] != 0;
  }
  if (any_fast) std::erase_if(roomy_, [&](DeviceId device) { return fast_[device.index()] == 0; });
  if (roomy_.empty()) {
    roomy_.push_back(
        *std::ranges::max_element(allowed, {}, [&](DeviceId device) { return room(device); }));
  }
  return roomy_;
}

void ListSchedule::look_at(OpId op) {
  op_ = op;
  inputs_.clear();
  std::ranges::fill(ready_ps_, 0);
  const CostModel& costs = problem_->costs();
  for (const TensorId tensor : problem_->graph().inputs(op)) {
    const OpRun& run = producer_run(tensor);
    if (run.end_ps < 0) continue;
    if (transfers_) inputs_.push_back(tensor);
    for (const DeviceId device : IdRange<DeviceId>(ready_ps_.size())) {
      Picoseconds& ready_ps = ready_ps_[device.index()];
      ready_ps = std::max(ready_ps, run.end_ps + costs.transfer_ps(tensor, run.device, device));
    }
  }
  std::ranges::sort(
      inputs_, {}, [&](TensorId tensor) { return std::pair(producer_run(tensor).end_ps, tensor); });
}

/// When the last input is there if those that have not been sent yet are requested now.
Picoseconds ListSchedule::arrival_ps(DeviceId device) {
  Picoseconds last_ps = 0;
  for (const TensorId tensor : inputs_) {
    const OpRun& run = producer_run(tensor);
    Picoseconds here_ps = run.end_ps;
    if (run.device != device) {
      const auto* sent = transfers_->arrival(transfers_->copy(tensor, device));
      here_ps = sent != nullptr ? sent->time_ps
                                : transfers_->send(tensor, run.device, device, run.end_ps);
    }
    last_ps = std::max(last_ps, here_ps);
  }
  return last_ps;
}

ListSchedule::Spot ListSchedule::spot(DeviceId device) {
  Picoseconds ready = ready_ps_[device.index()];
  if (transfers_) {
    const Occupancy::Mark before = transfers_->mark();
    ready = arrival_ps(device);
    transfers_->take_back(before);
  }
  return spot(op_, device, ready);
}

ListSchedule::Spot ListSchedule::spot(OpId op, DeviceId device, Picoseconds ready) const {
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

ListSchedule::Spot ListSchedule::earliest(OpId op, DeviceId device) {
  look_at(op);
  return spot(device);
}

ListSchedule::Spot ListSchedule::earliest(OpId op) {
  look_at(op);
  std::optional<Spot> best;
  for (const DeviceId device : candidates(problem_->groups().of(op))) {
    const Spot found = spot(device);
    if (!best || found.end_ps < best->end_ps) best = found;
  }
  return *best;
}

Picoseconds ListSchedule::idle_ps(DeviceId device) const {
  const std::vector<Timeline>& used = slots_[device.index()];
  if (std::cmp_less(used.size(), problem_->topology().device(device).slots)) return 0;
  return std::ranges::min_element(used, {}, &Timeline::end_ps)->end_ps();
}

void ListSchedule::fix(GroupId group, DeviceId device) {
  if (is_fixed(group)) return;
  fixed_[group.index()] = 1;
  devices_[group.index()] = device;
  held_bytes_[device.index()] += group_bytes_[group.index()];
}

ListSchedule::Step ListSchedule::try_place(OpId op, const Spot& spot) {
  const GroupId group = problem_->groups().of(op);
  std::vector<Timeline>& used = slots_[spot.device.index()];
  Step step{.op = op,
            .spot = spot,
            .fixed = !is_fixed(group),
            .new_slot = spot.slot == used.size(),
            .makespan_ps = makespan_ps_};
  fix(group, spot.device);
  if (step.new_slot) used.emplace_back();
  step.change = used[spot.slot].occupy(spot.start_ps, spot.end_ps - spot.start_ps);
  if (transfers_) {
    step.transfers = transfers_->mark();
    look_at(op);
    arrival_ps(spot.device);
  }
  placed_.push_back(op);
  runs_[op.index()] = {op, spot.device, spot.start_ps, spot.end_ps};
  makespan_ps_ = std::max(makespan_ps_, spot.end_ps);
  return step;
}

void ListSchedule::take_back(const Step& step) {
  const GroupId group = problem_->groups().of(step.op);
  makespan_ps_ = step.makespan_ps;
  runs_[step.op.index()] = {OpId(0), DeviceId(0), -1, -1};
  placed_.pop_back();
  if (transfers_) transfers_->take_back(step.transfers);
  std::vector<Timeline>& used = slots_[step.spot.device.index()];
  used[step.spot.slot].take_back(step.change);
  if (step.new_slot) used.pop_back();
  if (!step.fixed) return;
  fixed_[group.index()] = 0;
  held_bytes_[step.spot.device.index()] -= group_bytes_[group.index()];
}

void ListSchedule::place(OpId op, const Spot& spot) {
  try_place(op, spot);
  if (transfers_) transfers_->keep();
}

OpOrder ListSchedule::order() const {
  OpOrder order = placed_;
  std::ranges::stable_sort(order, {}, [&](OpId op) {
    return std::pair(runs_[op.index()].start_ps, runs_[op.index()].end_ps);
  });
  return order;
}

}  // namespace placer

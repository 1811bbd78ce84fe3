#include "search/lists/run.hpp"

#include <algorithm>
#include <numeric>

#include "search/groups/device_packing.hpp"
#include "search/groups/group_memory.hpp"

namespace placer {
namespace {

constexpr std::size_t kStepsOfPlace = 8;  // on each device

}  // namespace

ListScheduler::Run::Run(Tables& tables, const ListRule& rule, std::vector<double> priorities,
                        const Placement* placement, const std::vector<double>* surcharges)
    : tables_(tables),
      rule_(rule),
      priorities_(std::move(priorities)),
      surcharges_(surcharges),
      schedule_(tables.problem, rule.schedule),
      missing_(tables.problem.op_count()),
      last_(tables.problem.device_count()),
      watch_(tables.problem.deadline()) {
  const Problem& problem = tables.problem;
  if (rule.group != ListRule::Group::kFirstOp) {
    groups_.emplace(problem, rule.group == ListRule::Group::kPromises);
  }
  if (placement == nullptr) choose_beforehand();
  for (const GroupId group : IdRange<GroupId>(problem.groups().size())) {
    if (placement != nullptr) fix(group, (*placement)[group]);
  }
  for (const OpId op : IdRange<OpId>(problem.op_count())) {
    missing_[op.index()] = problem.graph().inputs(op).size();
    if (missing_[op.index()] == 0) make_ready(op);
  }
}

ListSchedule ListScheduler::Run::schedule() && {
  if (rule_.pairwise()) run_pairs();
  while (!waiting_.empty()) {
    const OpId op = next_waiting();
    watch_.check(kStepsOfPlace * last_.size());
    place(op, choose(op));
  }
  return std::move(schedule_);
}

void ListScheduler::Run::choose_beforehand() {
  if (rule_.device == ListRule::Device::kPathDevice) fix_path();
  if (rule_.device == ListRule::Device::kInOrder) fill_in_order();
}

void ListScheduler::Run::fix(GroupId group, DeviceId device) {
  if (schedule_.is_fixed(group)) return;
  schedule_.fix(group, device);
  if (groups_) groups_->fixed(group, device);
}

void ListScheduler::Run::fix_path() {
  const Groups& groups = tables_.problem.groups();
  const DeviceId device = path_device(tables_.problem, tables_.path());
  for (const OpId op : tables_.path()) {
    const GroupId group = groups.of(op);
    if (groups.is_allowed(group, device) && schedule_.has_room(group, device)) fix(group, device);
  }
}

/// Each device in turn up to an even share of all bytes and the largest group's; as Baechi's
/// m-topo, on devices that are about as fast as the fastest.
void ListScheduler::Run::fill_in_order() {
  const Problem& problem = tables_.problem;
  const std::vector<DeviceId> devices = fast_devices(problem);
  const std::vector<std::int64_t> bytes = bytes_of_groups(problem, &GroupMemory::at_most_bytes);
  const std::int64_t all_bytes = std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0});
  const std::int64_t share_bytes =
      all_bytes / static_cast<std::int64_t>(devices.size()) + *std::ranges::max_element(bytes);
  std::size_t at = 0;
  std::int64_t filled_bytes = 0;
  for (const OpId op : problem.graph().program_order()) {
    const GroupId group = problem.groups().of(op);
    if (schedule_.is_fixed(group)) continue;
    const bool fits = filled_bytes + bytes[group.index()] <= share_bytes &&
                      schedule_.has_room(group, devices[at]);
    if (!fits && at + 1 < devices.size()) {
      ++at;
      filled_bytes = 0;
    }
    if (problem.groups().is_allowed(group, devices[at])) {
      filled_bytes += bytes[group.index()];
      fix(group, devices[at]);
    }
  }
}

void ListScheduler::Run::make_ready(OpId op) {
  const Graph& graph = tables_.problem.graph();
  waiting_.emplace(priorities_[op.index()], graph.ops().size() - graph.program_position(op));
}

OpId ListScheduler::Run::next_waiting() {
  const Graph& graph = tables_.problem.graph();
  const OpId op = graph.program_order()[graph.ops().size() - waiting_.top().second];
  waiting_.pop();
  return op;
}

void ListScheduler::Run::place(OpId op, const ListSchedule::Spot& spot) {
  fix(tables_.problem.groups().of(op), spot.device);
  schedule_.place(op, spot);
  if (groups_) groups_->placed(op, spot.device);
  last_[spot.device.index()] = op;
  for (const TensorId tensor : tables_.problem.graph().outputs(op)) {
    for (const OpId consumer : tables_.problem.graph().tensor(tensor).consumers) {
      if (--missing_[consumer.index()] == 0) make_ready(consumer);
    }
  }
}

ListSchedule::Spot ListScheduler::Run::choose(OpId op) {
  spots_.clear();
  schedule_.look_at(op);
  for (const DeviceId device : schedule_.candidates(tables_.problem.groups().of(op))) {
    spots_.push_back(schedule_.spot(device));
  }
  if (spots_.size() == 1) return spots_.front();
  if (rule_.device == ListRule::Device::kTwoDevices) keep_two_devices(op, spots_);
  std::size_t best = 0;
  double least = cost(op, spots_.front());
  for (std::size_t i = 1; i < spots_.size(); ++i) {
    const double found = cost(op, spots_[i]);
    if (found >= least) continue;
    least = found;
    best = i;
  }
  return spots_[best];
}

/// Where the op's last input comes from, and where a slot is idle first.
void ListScheduler::Run::keep_two_devices(OpId op, std::vector<ListSchedule::Spot>& spots) const {
  const auto idle_ps = [&](const ListSchedule::Spot& spot) {
    return schedule_.idle_ps(spot.device);
  };
  const DeviceId idle = std::ranges::min_element(spots, {}, idle_ps)->device;
  DeviceId enabling = idle;
  Picoseconds last_ps = -1;
  for (const TensorId tensor : tables_.problem.graph().inputs(op)) {
    const OpRun& run = schedule_.runs()[tables_.problem.graph().tensor(tensor).producer.index()];
    const Picoseconds sent_ps =
        run.end_ps + static_cast<Picoseconds>(tables_.costs.tensor_ps[tensor.index()]);
    if (sent_ps <= last_ps) continue;
    last_ps = sent_ps;
    enabling = run.device;
  }
  std::erase_if(spots, [&](const ListSchedule::Spot& spot) {
    return spot.device != idle && spot.device != enabling;
  });
}

double ListScheduler::Run::cost(OpId op, const ListSchedule::Spot& spot) {
  Picoseconds finish_ps = spot.end_ps;
  if (rule_.device == ListRule::Device::kLookahead) finish_ps = latest_consumer_ps(op, spot);
  return static_cast<double>(finish_ps) + extra_cost(op, spot.device);
}

double ListScheduler::Run::extra_cost(OpId op, DeviceId device) {
  double cost = 0;
  if (rule_.device == ListRule::Device::kOptimisticCost) {
    cost = tables_.optimistic()[op.index() * tables_.problem.device_count() + device.index()];
  }
  const GroupId group = tables_.problem.groups().of(op);
  if (schedule_.is_fixed(group)) return cost;
  if (groups_) cost += groups_->cost_ps(op, device);
  if (surcharges_ != nullptr) {
    cost += (*surcharges_)[group.index() * tables_.problem.device_count() + device.index()];
  }
  return cost;
}

/// With `op` at `spot`, its consumers one after the other, by rank, where each finishes first.
Picoseconds ListScheduler::Run::latest_consumer_ps(OpId op, const ListSchedule::Spot& spot) {
  const Graph& graph = tables_.problem.graph();
  std::vector<OpId> consumers;
  for (const TensorId tensor : graph.outputs(op)) {
    const std::vector<OpId>& some = graph.tensor(tensor).consumers;
    consumers.insert(consumers.end(), some.begin(), some.end());
  }
  const auto key = [&](OpId consumer) {
    return std::pair(-tables_.upward[consumer.index()], graph.program_position(consumer));
  };
  std::ranges::sort(consumers, {}, key);
  consumers.erase(std::unique(consumers.begin(), consumers.end()), consumers.end());
  Picoseconds latest_ps = spot.end_ps;
  std::vector<ListSchedule::Step> steps = {schedule_.try_place(op, spot)};
  for (const OpId consumer : consumers) {
    watch_.check(kStepsOfPlace * last_.size());
    const ListSchedule::Spot next = schedule_.earliest(consumer);
    steps.push_back(schedule_.try_place(consumer, next));
    latest_ps = std::max(latest_ps, next.end_ps);
  }
  for (; !steps.empty(); steps.pop_back()) schedule_.take_back(steps.back());
  return latest_ps;
}

}  // namespace placer

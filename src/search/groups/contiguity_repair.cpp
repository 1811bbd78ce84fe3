#include "search/groups/contiguity_repair.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "search/groups/topological_groups.hpp"

namespace placer {
namespace {

Problem staged(const Problem& problem) {
  Goal goal = problem.goal();
  goal.contiguity = Contiguity::kStages;
  return problem.with_goal(std::move(goal));
}

constexpr std::size_t kNoStage = std::numeric_limits<std::size_t>::max();

/// For each group the others that consume what its forward ops make in theirs.
IndexLists forward_consumers(const Problem& problem) {
  const Graph& graph = problem.graph();
  std::vector<IndexLists::Entry> entries;
  for (const Tensor& tensor : graph.tensors()) {
    if (graph.op(tensor.producer).backward) continue;
    const auto from = static_cast<std::uint32_t>(problem.groups().of(tensor.producer).index());
    for (const OpId consumer : tensor.consumers) {
      const auto to = static_cast<std::uint32_t>(problem.groups().of(consumer).index());
      if (to != from && !graph.op(consumer).backward) entries.emplace_back(from, to);
    }
  }
  return IndexLists(problem.groups().size(), entries);
}

}  // namespace

ContiguityRepair::ContiguityRepair(const Problem& problem)
    : problem_(staged(problem)),
      asked_(problem),
      check_(problem_),
      consumers_(forward_consumers(problem)),
      producers_(consumers_.transposed()),
      position_(problem.groups().size()),
      watch_(problem.deadline()) {
  std::size_t at = 0;
  for (const GroupId group : topological_groups(problem)) position_[group.index()] = at++;
  if (problem.goal().objective == Objective::kCallLatency) calls_.emplace(problem);
}

void ContiguityRepair::repair(const Placement& placement, std::vector<Move>& moves) {
  if (placement != current_) stand_at(placement);
  if (!is_kept_ || keep(moves)) return;
  stage_ = stages_of_current_;
  moved_.clear();
  const bool is_put =
      std::ranges::all_of(moves, [this](const Move& move) { return put(move.group, move.device); });
  if (is_put) moves.clear();
  std::ranges::sort(moved_);
  moved_.erase(std::unique(moved_.begin(), moved_.end()), moved_.end());
  for (const GroupId group : moved_) {
    const DeviceId device = std::exchange(placement_[group], current_[group]);
    if (is_put && device != current_[group]) moves.push_back({group, device});
  }
}

/// Whether `moves` need no repair.
bool ContiguityRepair::keep(std::span<const Move> moves) {
  for (const Move& move : moves) placement_[move.group] = move.device;
  const bool are_in_order =
      std::ranges::all_of(moves, [this](const Move& move) { return is_in_order(move.group); });
  const bool are_kept = are_in_order || is_in_stages(placement_);
  for (const Move& move : moves) placement_[move.group] = current_[move.group];
  return are_kept;
}

/// Whether the group's stage is no earlier than its producers' and no later than its consumers'.
bool ContiguityRepair::is_in_order(GroupId group) const {
  const auto stage = [this](std::uint32_t at) {
    return stages_of_current_[placement_[GroupId(at)].index()];
  };
  const std::size_t own = stages_of_current_[placement_[group].index()];
  if (own == kNoStage) return false;
  const std::size_t at = group.index();
  return std::ranges::all_of(producers_[at], [&](auto other) { return stage(other) <= own; }) &&
         std::ranges::all_of(consumers_[at], [&](auto other) { return stage(other) >= own; });
}

Placement ContiguityRepair::repaired(const Placement& from, const Placement& to) {
  std::vector<Move> moves;
  for (const GroupId group : IdRange<GroupId>(from.devices.size())) {
    if (from[group] != to[group]) moves.push_back({group, to[group]});
  }
  repair(from, moves);
  Placement placement = from;
  for (const Move& move : moves) placement[move.group] = move.device;
  return placement;
}

Placement ContiguityRepair::kept(const Placement& placement) {
  if (keeps(placement)) return placement;
  current_ = placement;
  is_kept_ = false;
  line_up_devices();
  stage_ = stages_of_current_;
  Placement nearest = placement;
  std::size_t fewest = kNoStage;
  for (const Way way : {Way::kLater, Way::kEarlier}) {
    placement_ = placement;
    if (!pull(way) || moved_.size() >= fewest) continue;
    fewest = moved_.size();
    nearest = placement_;
  }
  return nearest;
}

bool ContiguityRepair::is_in_stages(const Placement& placement) {
  watch_.check(problem_.graph().edge_count());
  return check_.astray_ops(placement) == 0;
}

bool ContiguityRepair::keeps(const Placement& placement) {
  watch_.check(problem_.graph().edge_count());
  if (calls_) return calls_->score(placement, {}).astray_ops == 0;
  return asked_.astray_ops(placement) == 0;
}

/// Every group takes along those that it would be in the way of.
bool ContiguityRepair::pull(Way way) {
  moved_.clear();
  for (std::size_t group = 0; group < position_.size(); ++group) {
    pending_.push_back(static_cast<std::uint32_t>(group));
  }
  return take_along(way);
}

/// Each device by the mean position of its groups, those without groups last.
void ContiguityRepair::line_up_devices() {
  const std::size_t devices = problem_.device_count();
  std::vector<double> sum(devices, 0), count(devices, 0);
  for (std::size_t group = 0; group < position_.size(); ++group) {
    const std::size_t device = current_[GroupId(group)].index();
    sum[device] += static_cast<double>(position_[group]);
    ++count[device];
  }
  std::vector<DeviceId> order = problem_.goal().stages;
  if (order.empty()) {
    for (const DeviceId device : IdRange<DeviceId>(devices)) order.push_back(device);
    std::ranges::stable_sort(order, {}, [&](DeviceId device) {
      const std::size_t at = device.index();
      return count[at] > 0 ? sum[at] / count[at] : std::numeric_limits<double>::infinity();
    });
  }
  stages_of_current_.assign(devices, kNoStage);
  for (std::size_t at = 0; at < order.size(); ++at) stages_of_current_[order[at].index()] = at;
}

void ContiguityRepair::stand_at(const Placement& placement) {
  current_ = placement_ = placement;
  is_kept_ = is_in_stages(placement);
  if (is_kept_) order_devices();
}

/// Each device after those that it reads from, the first by id of several.
void ContiguityRepair::order_devices() {
  const std::size_t devices = problem_.device_count();
  stages_of_current_.assign(devices, kNoStage);
  const std::vector<DeviceId>& given = problem_.goal().stages;
  for (std::size_t at = 0; at < given.size(); ++at) stages_of_current_[given[at].index()] = at;
  if (!given.empty()) return;
  std::vector<char> is_used(devices, 0), reads(devices * devices, 0);  // device * devices + from
  for (std::size_t group = 0; group < consumers_.size(); ++group) {
    const std::size_t from = current_[GroupId(group)].index();
    is_used[from] = 1;
    for (const std::uint32_t consumer : consumers_[group]) {
      const std::size_t device = current_[GroupId(consumer)].index();
      if (device != from) reads[device * devices + from] = 1;
    }
  }
  const auto is_next = [&](std::size_t device) {
    if (is_used[device] == 0 || stages_of_current_[device] != kNoStage) return false;
    for (std::size_t from = 0; from < devices; ++from) {
      if (reads[device * devices + from] != 0 && stages_of_current_[from] == kNoStage) return false;
    }
    return true;
  };
  std::size_t stages = 0;
  for (std::size_t device = 0; device < devices;) {
    if (is_next(device)) {
      stages_of_current_[device] = stages++;
      device = 0;
    } else {
      ++device;
    }
  }
}

/// Makes `device` the stage before or after the group's own, whichever takes fewer groups along.
void ContiguityRepair::open_stage(GroupId group, DeviceId device) {
  std::size_t before = 0, after = 0;  // groups of the same stage
  for (std::size_t other = 0; other < position_.size(); ++other) {
    if (placement_[GroupId(other)] != placement_[group]) continue;
    ++(position_[other] < position_[group.index()] ? before : after);
  }
  const std::size_t stage = stage_of(group) + (before < after ? 0 : 1);
  for (std::size_t& other : stage_) {
    if (other != kNoStage && other >= stage) ++other;
  }
  stage_[device.index()] = stage;
}

bool ContiguityRepair::put(GroupId group, DeviceId device) {
  if (placement_[group] == device) return true;
  if (stage_[device.index()] == kNoStage) open_stage(group, device);
  const Way way = stage_[device.index()] < stage_of(group) ? Way::kEarlier : Way::kLater;
  move_to(group, device);
  return take_along(way);
}

void ContiguityRepair::move_to(GroupId group, DeviceId device) {
  placement_[group] = device;
  moved_.push_back(group);
  pending_.push_back(static_cast<std::uint32_t>(group.index()));
}

/// What the pending groups would be in the way of goes to their stages. False where it may not.
bool ContiguityRepair::take_along(Way way) {
  const bool earlier = way == Way::kEarlier;
  while (!pending_.empty()) {
    const std::size_t group = pending_.back();
    pending_.pop_back();
    const std::size_t stage = stage_of(GroupId(group));
    for (const std::uint32_t other : earlier ? producers_[group] : consumers_[group]) {
      const std::size_t own = stage_of(GroupId(other));
      if (earlier ? own <= stage : own >= stage) continue;
      const DeviceId* device = nearest(GroupId(other), stage, way);
      if (device == nullptr) {
        pending_.clear();
        return false;
      }
      move_to(GroupId(other), *device);
    }
  }
  return true;
}

/// The nearest stage from `stage` on where the group may go, itself included; null where there is
/// none.
const DeviceId* ContiguityRepair::nearest(GroupId group, std::size_t stage, Way way) const {
  const DeviceId* best = nullptr;
  for (const DeviceId& device : problem_.groups().allowed(group)) {
    const std::size_t at = stage_[device.index()];
    if (at == kNoStage || (way == Way::kEarlier ? at > stage : at < stage)) continue;
    if (best == nullptr || (way == Way::kEarlier) == (at > stage_[best->index()])) best = &device;
  }
  return best;
}

}  // namespace placer

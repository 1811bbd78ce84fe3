#include "search/groups/goal_conflict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "placer/base/deadline.hpp"
#include "placer/base/errors.hpp"
#include "placer/base/text.hpp"
#include "search/groups/connected_parts.hpp"

namespace placer {
namespace {

std::string quoted(const Problem& problem, OpId op) {
  return fmt::format("'{}'", one_line(problem.graph().op(op).name, 80));
}

/// Such as "'a' (gpu:0, gpu:1)".
std::string with_devices(const Problem& problem, OpId op) {
  std::vector<std::string> names;
  for (const DeviceId device : problem.groups().allowed(problem.groups().of(op))) {
    names.push_back(problem.topology().device(device).name);
  }
  return fmt::format("{} ({})", quoted(problem, op), one_line(join(names), 80));
}

/// Calls visit(producer, consumer) for what the forward pass hands on.
template <class Visit>
void for_each_read(const Problem& problem, Watch& watch, Visit visit) {
  const Graph& graph = problem.graph();
  for (const OpId producer : graph.program_order()) {
    if (graph.op(producer).backward) continue;
    for (const TensorId output : graph.outputs(producer)) {
      watch.check(graph.tensor(output).consumers.size() + 1);
      for (const OpId consumer : graph.tensor(output).consumers) {
        if (!graph.op(consumer).backward) visit(producer, consumer);
      }
    }
  }
}

/// The earliest stages where groups may be, each no earlier than those that it reads from.
std::string conflict_of_order(const Problem& problem, Watch& watch) {
  const std::vector<DeviceId>& stages = problem.goal().stages;
  const Groups& groups = problem.groups();
  const auto first_stage = [&](GroupId group, std::size_t from) {
    while (from < stages.size() && !groups.is_allowed(group, stages[from])) ++from;
    return from;
  };
  std::vector<std::size_t> earliest;  // by group
  for (const GroupId group : IdRange<GroupId>(groups.size())) {
    earliest.push_back(first_stage(group, 0));
  }
  std::string conflict;
  bool has_changed = true;
  while (std::exchange(has_changed, false) && conflict.empty()) {
    for_each_read(problem, watch, [&](OpId producer, OpId consumer) {
      const std::size_t stage = earliest[groups.of(producer).index()];
      std::size_t& own = earliest[groups.of(consumer).index()];
      if (own >= stage || !conflict.empty()) return;
      has_changed = true;
      own = first_stage(groups.of(consumer), stage);
      if (own < stages.size()) return;
      conflict = fmt::format(
          "expected a stage for op {} no earlier than {}, the first for op {}, whose output it "
          "reads; found none where it may be",
          quoted(problem, consumer), problem.topology().device(stages[stage]).name,
          quoted(problem, producer));
    });
  }
  return conflict;
}

/// Groups that the forward pass leads to each other, as do all that have a device in common which
/// is their only one, are in one stage whatever the order.
std::string conflict_of_any_order(const Problem& problem, Watch& watch) {
  const Groups& groups = problem.groups();
  const auto index = [](auto id) { return static_cast<std::uint32_t>(id.index()); };
  std::vector<IndexLists::Entry> arcs;
  for_each_read(problem, watch, [&](OpId producer, OpId consumer) {
    arcs.emplace_back(index(groups.of(producer)), index(groups.of(consumer)));
  });
  for (const GroupId group : IdRange<GroupId>(groups.size())) {
    if (groups.allowed(group).size() > 1) continue;
    const auto device =
        static_cast<std::uint32_t>(groups.size() + groups.allowed(group).front().index());
    arcs.emplace_back(index(group), device);
    arcs.emplace_back(device, index(group));
  }
  const IndexLists leads(groups.size() + problem.device_count(), arcs);
  const ConnectedParts parts = connected_parts(leads, watch);
  std::vector<std::optional<GroupId>> first(parts.count);  // the one with the fewest devices
  for (const GroupId group : IdRange<GroupId>(groups.size())) {
    std::optional<GroupId>& known = first[parts.of[group.index()]];
    if (!known || groups.allowed(group).size() < groups.allowed(*known).size()) known = group;
  }
  for (const GroupId group : IdRange<GroupId>(groups.size())) {
    const GroupId other = *first[parts.of[group.index()]];
    if (groups.allowed_set(group) == groups.allowed_set(other) ||
        std::ranges::any_of(groups.allowed(other),
                            [&](DeviceId device) { return groups.is_allowed(group, device); })) {
      continue;
    }
    return fmt::format(
        "expected ops that can share a stage where tensors go from the one's to the other's and "
        "back, found op {} and op {}",
        with_devices(problem, groups.ops(other).front()),
        with_devices(problem, groups.ops(group).front()));
  }
  return "";
}

/// Paths from an op that has but one device to ops that may not be there and back.
class ReturnsToPins {
 public:
  explicit ReturnsToPins(const Problem& problem)
      : problem_(problem), from_(problem.op_count()), left_(problem.op_count()) {}

  std::string find(Watch& watch) {
    const std::vector<std::vector<DeviceId>>& sets = problem_.groups().allowed_sets();
    std::vector<DeviceId> pinned;
    for (const std::vector<DeviceId>& set : sets) {
      if (set.size() == 1) pinned.push_back(set.front());
    }
    for (std::size_t begin = 0; begin < pinned.size(); begin += kBits) {
      const auto batch = std::span(pinned).subspan(begin);
      devices_.assign(batch.begin(),
                      batch.begin() + static_cast<std::ptrdiff_t>(std::min(kBits, batch.size())));
      allowed_.clear();
      for (const std::vector<DeviceId>& set : sets) allowed_.push_back(bits_of(set));
      if (std::string conflict = sweep(watch); !conflict.empty()) return conflict;
    }
    return "";
  }

 private:
  static constexpr std::size_t kBits = 64;
  using Bits = std::uint64_t;  // of devices_

  Bits bits_of(const std::vector<DeviceId>& set) const {
    Bits bits = 0;
    for (std::size_t bit = 0; bit < devices_.size(); ++bit) {
      if (std::ranges::binary_search(set, devices_[bit])) bits |= Bits{1} << bit;
    }
    return bits;
  }
  Bits allowed(OpId op) const {
    return allowed_[problem_.groups().allowed_set(problem_.groups().of(op))];
  }
  Bits own(OpId op) const {
    return problem_.groups().allowed(problem_.groups().of(op)).size() == 1 ? allowed(op) : 0;
  }

  std::string sweep(Watch& watch) {
    std::ranges::fill(from_, 0);
    std::ranges::fill(left_, 0);
    std::string conflict;
    for_each_read(problem_, watch, [&](OpId producer, OpId consumer) {
      const Bits from = from_[producer.index()] | own(producer);
      from_[consumer.index()] |= from;
      left_[consumer.index()] |= left_[producer.index()] | (from & ~allowed(producer));
      const Bits back = left_[consumer.index()] & own(consumer);
      if (back != 0 && conflict.empty()) conflict = told(consumer);
    });
    return conflict;
  }

  /// `op` is the last of such a path.
  std::string told(OpId op) const {
    const Bits device = own(op);
    const auto producer_with = [&](OpId of, auto holds) {
      for (const TensorId input : problem_.graph().inputs(of)) {
        const OpId producer = problem_.graph().tensor(input).producer;
        if (!problem_.graph().op(producer).backward && holds(producer)) return producer;
      }
      return of;
    };
    const auto has_left = [&](OpId other) {
      return ((left_[other.index()] | (from_[other.index()] & ~allowed(other))) & device) != 0;
    };
    OpId between = producer_with(op, has_left);
    while ((left_[between.index()] & device) != 0) between = producer_with(between, has_left);
    OpId first = between;
    while ((own(first) & device) == 0) {
      first = producer_with(
          first, [&](OpId other) { return ((from_[other.index()] | own(other)) & device) != 0; });
    }
    return fmt::format(
        "expected pins with which no path returns to a device that it has left, found one from op "
        "{} by op {} to op {}",
        with_devices(problem_, first), with_devices(problem_, between), with_devices(problem_, op));
  }

  const Problem& problem_;
  std::vector<DeviceId> devices_;  // a batch of those that are an op's only one
  std::vector<Bits> allowed_;      // by set of devices
  std::vector<Bits> from_, left_;  // by op: where a path to it begins, and has been elsewhere
};

}  // namespace

std::string goal_conflict(const Problem& problem) {
  const bool is_free = std::ranges::all_of(
      problem.groups().allowed_sets(),
      [&](const std::vector<DeviceId>& set) { return set.size() == problem.device_count(); });
  if (is_free) return "";
  Watch watch(problem.deadline());
  switch (problem.goal().contiguity) {
    case Contiguity::kNone:
      return "";
    case Contiguity::kContiguous:
      return ReturnsToPins(problem).find(watch);
    case Contiguity::kStages:
      return problem.goal().stages.empty() ? conflict_of_any_order(problem, watch)
                                           : conflict_of_order(problem, watch);
  }
  return "";
}

}  // namespace placer

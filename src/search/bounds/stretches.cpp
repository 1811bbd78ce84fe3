#include "search/bounds/stretches.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "placer/search/bounds.hpp"

namespace placer {
namespace {

constexpr std::size_t kMostOps = 20'000;  // of the problem
constexpr std::size_t kMostDevices = 64;
constexpr std::size_t kMostOpsOfParts = 5'000;
constexpr double kShareOfTime = 0.1;    // of what is left
constexpr std::size_t kFewestOps = 2;   // of a stretch, between its ends
constexpr double kMostShare = 0.75;     // of all ops, in a stretch
constexpr double kMostOfStretch = 500;  // ops
constexpr std::int64_t kNone = -1;

/// Whether a list of names of devices may mean others, too.
bool some_name_is_a_type(const Topology& topology) {
  std::set<std::string> types;
  for (const Device& device : topology.devices()) types.insert(device.type);
  return std::ranges::any_of(topology.devices(),
                             [&](const Device& device) { return types.contains(device.name); });
}

/// The ops on ways from the start to the end of the longest path, by how many come before them.
class Levels {
 public:
  explicit Levels(const Problem& problem)
      : graph_(problem.graph()),
        earliest_(problem.op_count(), kNone),
        latest_(problem.op_count(), kNone) {
    const auto [first, last] = longest_path(problem);
    find_earliest(first);
    find_latest(last);
    for (const OpId op : graph_.program_order()) {
      if (earliest(op) != kNone && latest_[op.index()] != kNone) ops_.push_back(op);
    }
    std::ranges::stable_sort(ops_, {}, [&](OpId op) { return earliest(op); });
  }

  /// In the order of their levels.
  std::span<const OpId> ops() const { return ops_; }

  /// Those to which all others come before or after: no other may be at their level.
  std::vector<OpId> cuts() const {
    std::vector<int> more(static_cast<std::size_t>(earliest(ops_.back())) + 2, 0);
    for (const OpId op : ops_) {
      ++more[static_cast<std::size_t>(earliest(op))];
      --more[static_cast<std::size_t>(latest_[op.index()]) + 1];
    }
    std::vector<int> at_level(more.size());
    std::partial_sum(more.begin(), more.end(), at_level.begin());
    std::vector<OpId> cuts;
    for (const OpId op : ops_) {
      if (at_level[static_cast<std::size_t>(earliest(op))] == 1) cuts.push_back(op);
    }
    return cuts;
  }

 private:
  std::int64_t earliest(OpId op) const { return earliest_[op.index()]; }

  /// Its ends.
  static std::pair<OpId, OpId> longest_path(const Problem& problem) {
    std::vector<Picoseconds> end_ps(problem.op_count(), 0);
    std::vector<OpId> start(problem.op_count());
    for (const OpId op : problem.graph().program_order()) {
      start[op.index()] = op;
      for (const TensorId input : problem.graph().inputs(op)) {
        const OpId producer = problem.graph().tensor(input).producer;
        if (start[op.index()] != op && end_ps[producer.index()] <= end_ps[op.index()]) continue;
        start[op.index()] = start[producer.index()];
        end_ps[op.index()] = end_ps[producer.index()];
      }
      end_ps[op.index()] += problem.fastest_ps(op);
    }
    const auto last = static_cast<std::size_t>(std::ranges::max_element(end_ps) - end_ps.begin());
    return {start[last], OpId(last)};
  }

  void find_earliest(OpId first) {
    earliest_[first.index()] = 0;
    for (const OpId op : graph_.program_order()) {
      std::int64_t& level = earliest_[op.index()];
      for (const TensorId input : graph_.inputs(op)) {
        const std::int64_t before = earliest(graph_.tensor(input).producer);
        if (before != kNone) level = std::max(level, before + 1);
      }
    }
  }

  void find_latest(OpId last) {
    latest_[last.index()] = earliest(last);
    const std::vector<OpId>& order = graph_.program_order();
    for (auto op = order.rbegin(); op != order.rend(); ++op) {
      if (latest_[op->index()] == kNone) continue;
      for (const TensorId input : graph_.inputs(*op)) {
        const OpId producer = graph_.tensor(input).producer;
        if (earliest(producer) == kNone) continue;
        std::int64_t& level = latest_[producer.index()];
        const std::int64_t before = latest_[op->index()] - 1;
        level = level == kNone ? before : std::min(level, before);
      }
    }
  }

  const Graph& graph_;
  std::vector<std::int64_t> earliest_, latest_;  // by op: levels; kNone where it is on no way
  std::vector<OpId> ops_;
};

/// Problems that are some ops of a problem.
class Parts {
 public:
  /// Long work on the parts asks `until`.
  Parts(const Problem& problem, const MemoryFit& fit, const Deadline& until)
      : problem_(problem), fit_(fit), until_(until), local_(problem.op_count(), kNone) {}

  /// The position of the one in which `ops` run, the first of them in no time: a new one at the end
  /// of `parts` unless one that is alike is known. None where there would be too many.
  std::optional<std::size_t> find(std::span<const OpId> ops, std::vector<Problem>& parts) {
    if (until_.passed()) return std::nullopt;
    for (std::size_t i = 0; i < ops.size(); ++i) {
      local_[ops[i].index()] = static_cast<std::int64_t>(i);
    }
    std::vector<std::int64_t> like = likeness(ops);
    std::optional<std::size_t> found;
    if (const auto known = known_.find(like); known != known_.end()) {
      found = known->second;
    } else if (ops.size() <= ops_left_) {
      found = parts.size();
      ops_left_ -= ops.size();
      known_.emplace(std::move(like), parts.size());
      parts.push_back(part(ops));
    }
    for (const OpId op : ops) local_[op.index()] = kNone;
    return found;
  }

 private:
  std::int64_t local(OpId op) const { return local_[op.index()]; }

  /// Those among the ops at hand.
  std::vector<OpId> consumers(const Tensor& tensor) const {
    std::vector<OpId> found;
    for (const OpId consumer : tensor.consumers) {
      if (local(consumer) != kNone) {
        found.push_back(OpId(static_cast<std::size_t>(local(consumer))));
      }
    }
    return found;
  }

  /// All that the step times of a part depend on.
  std::vector<std::int64_t> likeness(std::span<const OpId> ops) const {
    std::vector<std::int64_t> numbers;
    std::map<GroupId, std::int64_t> groups;
    for (const OpId op : ops) {
      const GroupId group = problem_.groups().of(op);
      const auto next = static_cast<std::int64_t>(groups.size());
      numbers.push_back(groups.emplace(group, next).first->second);
      numbers.push_back(problem_.graph().op(op).params_bytes);
      numbers.push_back(problem_.graph().op(op).temp_bytes);
      for (const DeviceId device : IdRange<DeviceId>(problem_.device_count())) {
        const Picoseconds op_ps = op == ops.front() ? 0 : problem_.costs().op_ps(op, device);
        numbers.push_back(fit_.may_go(group, device) ? op_ps : kNone);
      }
      for (const TensorId output : problem_.graph().outputs(op)) {
        const Tensor& tensor = problem_.graph().tensor(output);
        const std::vector<OpId> readers = consumers(tensor);
        if (readers.empty()) continue;
        const auto seconds = tensor.transfer_seconds;
        numbers.push_back(tensor.bytes);
        numbers.push_back(tensor.keep ? 1 : 0);
        numbers.push_back(seconds ? to_picoseconds(*seconds) : kNone);
        for (const OpId reader : readers) {
          numbers.push_back(static_cast<std::int64_t>(reader.index()));
        }
        numbers.push_back(kNone);
      }
      numbers.push_back(kNone);
    }
    return numbers;
  }

  Op op_of_part(OpId op, bool is_first) const {
    Op made = problem_.graph().op(op);
    const GroupId group = problem_.groups().of(op);
    made.group = std::to_string(group.index());
    made.devices.clear();
    if (is_first) made.seconds.clear();
    for (const DeviceId device : fit_.devices(group)) {
      const std::string& name = problem_.topology().device(device).name;
      made.devices.push_back(name);
      if (is_first) made.seconds.emplace_back(name, 0);
    }
    return made;
  }

  Problem part(std::span<const OpId> of) const {
    std::vector<Op> ops;
    std::vector<Tensor> tensors;
    for (const OpId op : of) {
      ops.push_back(op_of_part(op, op == of.front()));
      for (const TensorId output : problem_.graph().outputs(op)) {
        Tensor tensor = problem_.graph().tensor(output);
        tensor.producer = OpId(static_cast<std::size_t>(local(op)));
        tensor.consumers = consumers(tensor);
        if (!tensor.consumers.empty()) tensors.push_back(std::move(tensor));
      }
    }
    Graph graph(problem_.graph().name(), std::move(ops), std::move(tensors));
    return Problem(std::move(graph), problem_.topology()).within(until_);
  }

  const Problem& problem_;
  const MemoryFit& fit_;
  const Deadline until_;
  std::size_t ops_left_ = kMostOpsOfParts;
  std::vector<std::int64_t> local_;  // by op: its position in the part at hand, or kNone
  std::map<std::vector<std::int64_t>, std::size_t> known_;
};

/// From cut to cut, each with so many groups or more where there are as many.
std::vector<std::span<const OpId>> runs_of(const Problem& problem, const Levels& levels,
                                           std::size_t fewest_groups) {
  const double most =
      std::min(kMostOfStretch, kMostShare * static_cast<double>(problem.op_count()));
  std::vector<std::span<const OpId>> runs;
  const std::vector<OpId> cuts = levels.cuts();
  std::set<GroupId> groups;
  auto first = std::ranges::find(levels.ops(), cuts.front());
  auto last = first;
  for (std::size_t i = 1; i < cuts.size(); ++i) {
    for (; *last != cuts[i]; ++last) groups.insert(problem.groups().of(*last));
    const std::span<const OpId> ops(first, last + 1);
    if (groups.size() < fewest_groups && i + 1 < cuts.size()) continue;
    first = last;
    groups.clear();
    if (ops.size() < kFewestOps + 2 || static_cast<double>(ops.size()) > most) continue;
    runs.push_back(ops);
  }
  return runs;
}

}  // namespace

Stretches::Stretches(const Problem& problem, const MemoryFit& fit,
                     std::span<const std::size_t> fewest_groups) {
  const bool is_large = problem.op_count() > kMostOps || problem.device_count() > kMostDevices;
  if (is_large || some_name_is_a_type(problem.topology())) return;
  const Deadline until = problem.deadline().share(kShareOfTime);
  const Levels levels(problem);
  Parts parts(problem, fit, until);
  std::set<std::pair<OpId, OpId>> ends;  // of those in the list, or left out
  for (const std::size_t groups : fewest_groups) {
    for (const std::span<const OpId> ops : runs_of(problem, levels, groups)) {
      if (!ends.emplace(ops.front(), ops.back()).second) continue;
      const std::optional<std::size_t> part = parts.find(ops, parts_);
      if (!part) continue;
      list_.push_back({ops.front(), ops.back()});
      part_of_.push_back(*part);
    }
  }
  least_ps_.resize(parts_.size(), 0);
  for (std::size_t part = 0; part < parts_.size() && !until.passed(); ++part) {
    const LowerBounds bounds = lower_bounds(parts_[part], {}, Order::kGiven);
    if (bounds.infeasible.empty()) raise(part, bounds.best_ps());
  }
}

bool Stretches::raise(std::size_t part, Picoseconds least_ps) {
  if (least_ps <= least_ps_[part]) return false;
  least_ps_[part] = least_ps;
  for (std::size_t i = 0; i < list_.size(); ++i) {
    if (part_of_[i] == part) list_[i].least_ps = least_ps_[part];
  }
  return true;
}

}  // namespace placer

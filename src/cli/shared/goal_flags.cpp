#include "cli/shared/goal_flags.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "cli/shared/text.hpp"
#include "placer/base/errors.hpp"
#include "placer/base/quantity.hpp"
#include "placer/base/text.hpp"
#include "placer/model/modules.hpp"
#include "search/groups/goal_conflict.hpp"

namespace placer {
namespace {

/// Calls `change` for each op whose name matches; at least one does.
void for_each_match(const std::string& flag, const std::string& pattern, const std::string& file,
                    std::vector<Op>& ops, const std::function<void(Op&)>& change) {
  bool is_met = false;
  for (Op& op : ops) {
    if (::fnmatch(pattern.c_str(), op.name.c_str(), 0) != 0) continue;
    is_met = true;
    change(op);
  }
  if (is_met) return;
  throw Error(fmt::format("option {}: expected a pattern of names of ops of {}, found '{}'", flag,
                          file, one_line(pattern, 80)));
}

[[noreturn]] void fail_twice(const std::string& flag, const Op& op, const std::string& first,
                             const std::string& second) {
  throw Error(fmt::format("option {}: expected each op once, found op '{}' for {} and {}", flag,
                          one_line(op.name, 80), first, second));
}

struct Pin {
  std::string pattern, device;
};

/// Throws Error for what is no list of pins.
std::vector<Pin> pins_of(const std::string& flag) {
  std::vector<Pin> pins;
  for (const std::string& item : split(flag, ',')) {
    const std::size_t sign = item.rfind('=');
    if (sign == std::string::npos || sign == 0 || sign + 1 == item.size()) {
      throw Error(
          fmt::format("option --pin: expected PATTERN=DEVICE, found '{}'", one_line(item, 80)));
    }
    pins.push_back({item.substr(0, sign), item.substr(sign + 1)});
  }
  return pins;
}

/// By name or type.
std::vector<DeviceId> devices_called(const std::string& name, const Topology& topology,
                                     const std::string& machine) {
  std::vector<DeviceId> found;
  for (const DeviceId id : IdRange<DeviceId>(topology.devices().size())) {
    const Device& device = topology.device(id);
    if (device.name == name || device.type == name) found.push_back(id);
  }
  if (topology.find(name) && found.size() > 1) {
    throw Error(fmt::format(
        "option --pin: expected a name that is not both a device's and a type's, found '{}'",
        one_line(name, 80)));
  }
  if (!found.empty()) return found;
  throw Error(fmt::format("option --pin: expected the name or type of a device of {}, found '{}'",
                          machine, one_line(name, 80)));
}

/// Leaves `op`, which may use the devices `own`, those of them that are `pinned`: all that are
/// called `name`.
void pin(const std::vector<DeviceId>& own, const std::vector<DeviceId>& pinned,
         const std::string& name, const Topology& topology, Op& op) {
  std::vector<DeviceId> left;
  std::ranges::set_intersection(own, pinned, std::back_inserter(left));
  if (left.empty()) {
    throw Error(fmt::format("option --pin: expected a device that op '{}' may use, found '{}'",
                            one_line(op.name, 80), one_line(name, 80)));
  }
  op.devices.clear();
  if (left == pinned) {
    op.devices = {name};
  } else {
    for (const DeviceId device : left) op.devices.push_back(topology.device(device).name);
  }
}

void tie(const std::string& flag, const std::string& file, std::vector<Op>& ops) {
  std::vector<std::string> group(ops.size());
  for (const std::string& pattern : split(flag, ',')) {
    for_each_match("--together", pattern, file, ops, [&](Op& op) {
      std::string& known = group[static_cast<std::size_t>(&op - ops.data())];
      if (!known.empty()) fail_twice("--together", op, known, pattern);
      known = pattern;
    });
  }
  join_groups(ops, group);
}

/// The units that `--groups` ties together; empty where it names none.
std::vector<std::string> units_of(const std::string& groups, const Graph& graph) {
  const std::optional<UnitGroups> wanted = unit_groups(groups);
  if (!wanted) return {};
  if (!wanted->layers) return modules_of(graph, wanted->depth);
  const ModelUnits units = model_units(graph, UnitDetail::kModules);
  std::vector<std::string> names;
  for (const std::size_t unit : units.of) names.push_back(units.units[unit].name);
  return names;
}

}  // namespace

std::optional<UnitGroups> unit_groups(std::string_view text) {
  if (text == "layer") return UnitGroups{.layers = true};
  if (text == "module") return UnitGroups{};
  constexpr std::string_view kToDepth = "module:";
  if (!text.starts_with(kToDepth)) return std::nullopt;
  const std::string depth(text.substr(kToDepth.size()));
  const std::optional<double> count = parse_quantity(depth, Measure::kPlain);
  if (!count || *count < 1 || *count > 1'000 || *count != std::trunc(*count)) {
    throw Error(
        fmt::format("option --groups: expected module:DEPTH with an integer from 1 to 1000, found "
                    "'{}'",
                    one_line(text, 80)));
  }
  return UnitGroups{.depth = static_cast<std::size_t>(*count)};
}

void apply_units(const ProblemFlags& flags, Graph& graph) {
  const std::vector<std::string> units = units_of(flags.groups.value_or(""), graph);
  if (units.empty()) return;
  std::vector<Op> ops = graph.ops();
  join_groups(ops, units);
  graph = Graph(graph.name(), std::move(ops), graph.tensors());
}

void apply_ties(const ProblemFlags& flags, const std::string& file, Graph& graph) {
  if (!flags.together) return;
  std::vector<Op> ops = graph.ops();
  tie(*flags.together, file, ops);
  graph = Graph(graph.name(), std::move(ops), graph.tensors());
}

void apply_pins(const ProblemFlags& flags, const std::string& file, const Topology& topology,
                const std::string& machine, Graph& graph) {
  if (!flags.pin) return;
  const AllowedDevices own = allowed_devices(graph, topology);
  std::vector<Op> ops = graph.ops();
  std::vector<std::string> place(ops.size());
  for (const Pin& wanted : pins_of(*flags.pin)) {
    const std::vector<DeviceId> pinned = devices_called(wanted.device, topology, machine);
    for_each_match("--pin", wanted.pattern, file, ops, [&](Op& op) {
      const auto at = static_cast<std::size_t>(&op - ops.data());
      if (!place[at].empty() && place[at] != wanted.device) {
        fail_twice("--pin", op, place[at], wanted.device);
      }
      place[at] = wanted.device;
      pin(own.sets[own.set_of[at]], pinned, wanted.device, topology, op);
    });
  }
  graph = Graph(graph.name(), std::move(ops), graph.tensors());
}

Goal goal_of(const ProblemFlags& flags, const Topology& topology) {
  Goal goal{.objective = flags.objective.value_or(Objective::kLatency)};
  if (flags.contiguous) goal.contiguity = Contiguity::kContiguous;
  if (!flags.stages) return goal;
  goal.contiguity = Contiguity::kStages;
  if (*flags.stages == "free") return goal;
  for (const std::string& name : split(*flags.stages, ',')) {
    const std::optional<DeviceId> device = topology.find(name);
    if (!device) {
      throw Error(fmt::format("option --stages: expected free or the names of devices, found '{}'",
                              one_line(name, 80)));
    }
    if (std::ranges::count(goal.stages, *device) > 0) {
      throw Error(fmt::format("option --stages: expected each device once, found '{}' again",
                              one_line(name, 80)));
    }
    goal.stages.push_back(*device);
  }
  if (goal.stages.size() != topology.devices().size()) {
    throw Error(fmt::format("option --stages: expected all {} devices, found {}",
                            topology.devices().size(), goal.stages.size()));
  }
  return goal;
}

void check_goal(const Problem& problem) {
  const std::string conflict = goal_conflict(problem);
  if (conflict.empty()) return;
  const bool has_stages = problem.goal().contiguity == Contiguity::kStages;
  throw Error(fmt::format("option {}: {}", has_stages ? "--stages" : "--contiguous", conflict));
}

}  // namespace placer

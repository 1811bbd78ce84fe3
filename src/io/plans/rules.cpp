#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "io/plans/target.hpp"
#include "placer/base/text.hpp"
#include "placer/base/units.hpp"

namespace placer {
namespace {

/// Groups of the file that reach over several units hold parameters that each unit must have.
void part_groups(const ModelUnits& units, std::vector<Op>& ops) {
  std::map<std::string, std::set<std::size_t>> units_of_group;
  for (std::size_t i = 0; i < ops.size(); ++i) units_of_group[ops[i].group].insert(units.of[i]);
  for (Op& op : ops) {
    if (!op.group.empty() && units_of_group[op.group].size() > 1) op.group.clear();
  }
}

/// The same where ops are units; what the user ties together stays so.
void part_groups(std::vector<Op>& ops) {
  for (Op& op : ops) {
    if (plain_group_name(op.group) == op.group) op.group.clear();
  }
}

/// Inputs of the model are no nodes: they are where the first op is that reads them.
void tie_inputs(const Graph& graph, std::vector<Op>& ops) {
  std::vector<std::string> names(ops.size());
  for (const OpId op : IdRange<OpId>(ops.size())) {
    if (!nodes_of(ops[op.index()]).empty()) continue;
    for (const TensorId tensor : graph.outputs(op)) {
      const auto& readers = graph.tensor(tensor).consumers;
      if (readers.empty() || !names[op.index()].empty()) continue;
      std::string& name = names[readers.front().index()];
      if (name.empty()) name = fmt::format("reader {}", readers.front().index());
      names[op.index()] = name;
    }
  }
  join_groups(ops, names);
}

void tie_units(const ModelUnits& units, std::vector<Op>& ops) {
  std::vector<std::string> names;
  for (const std::size_t unit : units.of) names.push_back(fmt::format("unit {}", unit));
  join_groups(ops, names);
}

/// Where CPUs offload: the time on the first accelerator, and the copy of the parameters to it.
void charge_copies(const Topology& devices, const Graph& graph, std::vector<Op>& ops) {
  const std::vector<DeviceId> others = accelerators(devices);
  if (others.empty()) return;
  const DeviceId worker = others.front();
  std::vector<Op> anywhere = ops;
  for (Op& op : anywhere) {
    if (!op.devices.empty()) op.devices.push_back(devices.device(worker).name);
  }
  const Problem problem(Graph(graph.name(), std::move(anywhere), graph.tensors()), devices);
  for (const DeviceId id : IdRange<DeviceId>(devices.devices().size())) {
    if (!is_cpu(devices.device(id)) || !devices.joins(id, worker)) continue;
    const double speed = devices.speeds()[devices.speed_class(id, worker)].bytes_per_second;
    for (const OpId op : IdRange<OpId>(ops.size())) {
      const double seconds = to_seconds(problem.costs().op_ps(op, worker)) +
                             static_cast<double>(ops[op.index()].params_bytes) / speed;
      std::erase_if(ops[op.index()].seconds,
                    [&](const auto& each) { return each.first == devices.device(id).name; });
      ops[op.index()].seconds.emplace_back(devices.device(id).name, seconds);
    }
  }
}

void bar_cpus(const PlanTarget& target, const Topology& devices, std::vector<Op>& ops) {
  std::vector<std::string> left;
  bool has_cpu = target.cpus == PlanTarget::Cpus::kNone;
  for (const Device& device : devices.devices()) {
    if (!is_cpu(device) || !std::exchange(has_cpu, true)) {
      left.push_back(device.name);
    }
  }
  if (left.empty()) {
    throw Error(
        fmt::format("plan for {}: expected an accelerator among the devices, found CPUs "
                    "alone",
                    target.name));
  }
  if (left.size() == devices.devices().size()) return;
  for (Op& op : ops) {
    if (op.devices.empty()) op.devices = left;
  }
}

void start_on_cpu(const ModelUnits& units, const Topology& devices, std::vector<Op>& ops) {
  const std::optional<DeviceId> cpu = first_cpu(devices);
  if (!cpu) return;
  for (std::size_t op = 0; op < ops.size(); ++op) {
    if (units.units[units.of[op]].name == "input") ops[op].devices = {devices.device(*cpu).name};
  }
}

/// Throws Error for a model that the target cannot take.
void check_units(const PlanTarget& target, const ModelUnits& units, const Graph& graph) {
  if (target.needs_modules && !units.are_modules) {
    throw Error(
        fmt::format("plan for {}: expected ops whose names say their modules, such as "
                    "model/layers.0/mlp/Mul, found '{}'",
                    target.name, one_line(graph.ops().front().name, 80)));
  }
  const bool has_layers = std::ranges::any_of(units.units, &ModelUnits::Unit::is_layer);
  if (target.units == UnitDetail::kLayers && !has_layers) {
    throw Error(
        fmt::format("plan for {}: expected a model with layers, such as model/layers.0 and "
                    "model/layers.1, found none",
                    target.name));
  }
}

}  // namespace

Graph graph_for(const PlanTarget& target, Graph graph, const Topology& devices, bool ties_units) {
  std::vector<Op> ops = graph.ops();
  for (Op& op : ops) op.module = module_path(op);  // which groups may say, and they change
  ModelUnits units;
  if (target.units) {
    units = units_for(target, graph);
    check_units(target, units, graph);
  }
  using Cpus = PlanTarget::Cpus;
  if (target.cpus == Cpus::kNone || target.cpus == Cpus::kFirst) bar_cpus(target, devices, ops);
  if (target.starts_on_cpu) start_on_cpu(units, devices, ops);
  if (target.cpus == Cpus::kOffload) charge_copies(devices, graph, ops);
  if (target.units) {
    if (target.in_stages) part_groups(units, ops);
    if (ties_units) tie_units(units, ops);
  } else if (target.in_stages) {
    part_groups(ops);
  } else if (ties_units) {
    tie_inputs(graph, ops);
  }
  return Graph(graph.name(), std::move(ops), graph.tensors());
}

Goal goal_for(const PlanTarget& target, Goal goal, const Topology& devices) {
  if (!target.in_stages || goal.contiguity == Contiguity::kStages) return goal;
  goal.contiguity = Contiguity::kStages;
  if (target.cpus != PlanTarget::Cpus::kFirst) return goal;
  for (const DeviceId id : IdRange<DeviceId>(devices.devices().size())) {
    goal.stages.push_back(id);
  }
  std::stable_partition(goal.stages.begin(), goal.stages.end(),
                        [&](DeviceId id) { return is_cpu(devices.device(id)); });
  return goal;
}

}  // namespace placer

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

/// Groups of the file that reach over several units hold parameters that each unit must have: parts
/// them, and gives the first op of each unit that has none the group's.
void part_groups(const std::vector<std::size_t>& unit_of, std::vector<Op>& ops) {
  struct Part {
    std::size_t first_op = 0;
    std::int64_t params_bytes = 0;
  };
  std::map<std::string, std::map<std::size_t, Part>> parts;  // by group and unit
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (ops[i].group.empty()) continue;
    parts[ops[i].group].try_emplace(unit_of[i], Part{i}).first->second.params_bytes +=
        ops[i].params_bytes;
  }
  for (const auto& [group, of_group] : parts) {
    if (of_group.size() < 2) continue;
    std::int64_t shared_bytes = 0;
    for (const auto& [unit, part] : of_group) {
      shared_bytes = std::max(shared_bytes, part.params_bytes);
    }
    for (const auto& [unit, part] : of_group) {
      if (part.params_bytes == 0) ops[part.first_op].params_bytes += shared_bytes;
    }
  }
  for (Op& op : ops) {
    if (const auto at = parts.find(op.group); at != parts.end() && at->second.size() > 1) {
      op.group.clear();
    }
  }
}

/// The same where ops are units; what the user ties together stays so.
void part_groups(std::vector<Op>& ops) {
  std::vector<std::string> tied(ops.size());
  std::vector<std::size_t> alone;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    alone.push_back(i);
    if (plain_group_name(ops[i].group) != ops[i].group) std::swap(tied[i], ops[i].group);
  }
  part_groups(alone, ops);
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (!tied[i].empty()) ops[i].group = tied[i];
  }
}

/// Plans of nodes have no place for inputs of the model.
void tie_inputs(const Graph& graph, std::vector<Op>& ops) {
  std::vector<std::string> names(ops.size());
  for (const OpId op : IdRange<OpId>(ops.size())) {
    const std::optional<OpId> reader = reader_of_input(graph, op);
    if (!reader) continue;
    std::string& name = names[reader->index()];
    if (name.empty()) name = fmt::format("reader {}", reader->index());
    names[op.index()] = name;
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
    const LinkSpeed& speed = devices.speeds()[devices.speed_class(id, worker)];
    for (const OpId op : IdRange<OpId>(ops.size())) {
      const double seconds = to_seconds(problem.costs().op_ps(op, worker)) +
                             speed.copy_seconds(static_cast<double>(ops[op.index()].params_bytes));
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

/// Pairs of units of which the second reads from the first.
using Reads = std::set<std::pair<std::size_t, std::size_t>>;

Reads reads_of(const std::vector<std::size_t>& unit_of, const Graph& graph) {
  Reads reads;
  for (const Tensor& tensor : graph.tensors()) {
    for (const OpId reader : tensor.consumers) {
      reads.emplace(unit_of[tensor.producer.index()], unit_of[reader.index()]);
    }
  }
  return reads;
}

/// The unit of each op, experts with their layers.
std::vector<std::size_t> with_experts(const ModelUnits& units) {
  std::vector<std::size_t> unit_of = units.of;
  for (const LayerExperts& experts : experts_of(units)) {
    std::ranges::replace(unit_of, experts.unit, experts.layer_unit);
  }
  return unit_of;
}

[[noreturn]] void fail_model(const PlanTarget& target, const std::string& expected,
                             const std::string& found) {
  throw Error(fmt::format("plan for {}: expected {}, found {}", target.name, expected, found));
}

void check_chain(const PlanTarget& target, const ModelUnits& units, const Graph& graph) {
  const auto list_of = [](std::string name) {
    name.erase(name.find_last_not_of("0123456789") + 1);
    return name;
  };
  const auto name_of = [&](std::size_t unit) {
    return "'" + one_line(units.units[unit].name, 80) + "'";
  };
  const Reads reads = reads_of(with_experts(units), graph);
  std::optional<std::size_t> last;
  for (std::size_t unit = 0; unit < units.units.size(); ++unit) {
    if (!units.units[unit].is_layer) continue;
    if (last && list_of(units.units[unit].name) != list_of(units.units[*last].name)) {
      fail_model(target, "layers of a single list, as decoders have them",
                 name_of(*last) + " and " + name_of(unit));
    }
    if (last && !reads.contains({*last, unit})) {
      fail_model(target, "layers that each read from the one before",
                 name_of(unit) + " that does not read from " + name_of(*last));
    }
    last = unit;
  }
  for (const Op& op : graph.ops()) {
    if (!op.type.starts_with("lstm") && !op.type.starts_with("gru")) continue;
    fail_model(target, "layers of a transformer",
               "'" + one_line(op.name, 80) + "', of type " + one_line(op.type, 40));
  }
}

/// Throws Error for a model that the target cannot run.
void check_units(const PlanTarget& target, const ModelUnits& units, const Graph& graph) {
  if (target.needs_modules && !units.are_modules) {
    fail_model(target, "ops whose names say their modules, such as model/layers.0/mlp/Mul",
               "'" + one_line(graph.ops().front().name, 80) + "'");
  }
  const bool has_layers = std::ranges::any_of(units.units, &ModelUnits::Unit::is_layer);
  if (target.units == UnitDetail::kLayers && !has_layers) {
    fail_model(target, "a model with layers, such as model/layers.0 and model/layers.1", "none");
  }
  if (target.needs_chain) check_chain(target, units, graph);
}

/// Only the forward pass is asked to keep to stages, so that what may be anywhere is none of it.
void free_experts(const ModelUnits& units, std::vector<Op>& ops) {
  for (std::size_t op = 0; op < ops.size(); ++op) {
    if (holds_experts(units.units[units.of[op]])) ops[op].backward = true;
  }
}

/// Ops of no module are of that of their unit, whatever control dependencies they have later.
void name_units(const ModelUnits& units, std::vector<Op>& ops) {
  for (std::size_t op = 0; op < ops.size(); ++op) {
    if (ops[op].module.empty()) ops[op].module = units.units[units.of[op]].name;
  }
}

/// The tensors, and a control dependency between units that follow each other though none reads
/// from the other. Their first ops do so in the program's order, so that no cycle comes about.
std::vector<Tensor> in_order(const ModelUnits& units, const Graph& graph) {
  std::vector<std::optional<OpId>> first(units.units.size());
  for (const OpId op : graph.program_order()) {
    if (!first[units.of[op.index()]]) first[units.of[op.index()]] = op;
  }
  const Reads reads = reads_of(units.of, graph);
  std::vector<Tensor> tensors = graph.tensors();
  for (std::size_t unit = 1; unit < first.size(); ++unit) {
    if (holds_experts(units.units[unit]) || reads.contains({unit - 1, unit})) continue;
    Tensor& tensor = tensors.emplace_back();
    tensor.name = fmt::format("before {}", units.units[unit].name);
    tensor.producer = *first[unit - 1];
    tensor.consumers = {*first[unit]};
  }
  return tensors;
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
  if (target.in_order && target.units == UnitDetail::kModules) name_units(units, ops);
  if (target.parts_experts) free_experts(units, ops);
  using Cpus = PlanTarget::Cpus;
  if (target.cpus == Cpus::kNone || target.cpus == Cpus::kFirst) bar_cpus(target, devices, ops);
  if (target.starts_on_cpu) start_on_cpu(units, devices, ops);
  if (target.cpus == Cpus::kOffload) charge_copies(devices, graph, ops);
  if (target.units) {
    if (target.in_stages) part_groups(units.of, ops);
    if (ties_units) tie_units(units, ops);
  } else if (target.in_stages) {
    part_groups(ops);
  } else if (ties_units) {
    tie_inputs(graph, ops);
  }
  return Graph(graph.name(), std::move(ops),
               target.in_order ? in_order(units, graph) : graph.tensors());
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

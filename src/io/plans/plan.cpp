#include "placer/io/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <map>
#include <set>

#include "io/plans/target.hpp"
#include "placer/base/text.hpp"
#include "placer/base/units.hpp"
#include "placer/sim/simulator.hpp"

namespace placer {

#define PLACER_PLAN_TARGET(function, name) PlanTarget function##_target();
#include "io/plans/targets.def"
#undef PLACER_PLAN_TARGET

namespace {

PlanTarget named(std::string name, PlanTarget target) {
  target.name = std::move(name);
  return target;
}

bool has_layers(const Graph& graph) {
  const ModelUnits units = model_units(graph, UnitDetail::kLayers);
  return std::ranges::any_of(units.units, [](const auto& unit) { return unit.is_layer; });
}

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
    if (!is_cpu(device) || !std::exchange(has_cpu, has_cpu || is_cpu(device))) {
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

void start_on_cpu(const PlanTarget& target, const Topology& devices, const Graph& graph,
                  std::vector<Op>& ops) {
  const std::optional<DeviceId> cpu = first_cpu(devices);
  if (!cpu) return;
  const ModelUnits units = units_for(target, graph);
  for (std::size_t op = 0; op < ops.size(); ++op) {
    if (units.units[units.of[op]].name == "input") ops[op].devices = {devices.device(*cpu).name};
  }
}

/// The units of a placement; throws Error where it cuts one.
PlacedModel placed_model(const PlanTarget& target, const Problem& problem,
                         const Placement& placement) {
  PlacedModel model{problem, placement, {}, {}};
  if (!target.units) return model;
  model.units = units_for(target, problem.graph());
  std::vector<std::optional<DeviceId>> found(model.units.units.size());
  for (const OpId op : IdRange<OpId>(problem.op_count())) {
    const std::size_t unit = model.units.of[op.index()];
    const DeviceId device = placement[problem.groups().of(op)];
    if (found[unit].value_or(device) != device) {
      throw Error(fmt::format("plan for {}: expected '{}' on one device, found it on {} and {}",
                              target.name, one_line(model.units.units[unit].name, 80),
                              problem.topology().device(*found[unit]).name,
                              problem.topology().device(device).name));
    }
    found[unit] = device;
  }
  for (const auto& device : found) model.devices.push_back(*device);
  return model;
}

void check_stages(const PlanTarget& target, const PlacedModel& model) {
  if (!target.in_stages) return;
  const Problem problem =
      model.problem.with_goal(goal_for(target, model.problem.goal(), model.problem.topology()));
  const Score score = Simulator(problem, Order::kFifo).evaluate(model.placement);
  if (score.astray_ops == 0) return;
  throw Error(
      fmt::format("plan for {}: expected layers that follow each other on each device{}, "
                  "found {} ops that read from a later one",
                  target.name,
                  target.cpus == PlanTarget::Cpus::kFirst ? ", the first ones on the CPU, "
                                                            "devices in their order"
                                                          : "",
                  score.astray_ops));
}

/// Throws Error for devices that part a group or that it may not use.
Placement placement_of(const Problem& problem, const std::vector<DeviceId>& devices,
                       const std::string& file) {
  Placement placement{std::vector<DeviceId>(problem.groups().size())};
  for (const GroupId group : IdRange<GroupId>(problem.groups().size())) {
    const OpId first = problem.groups().ops(group).front();
    placement[group] = devices[first.index()];
    for (const OpId op : problem.groups().ops(group)) {
      if (devices[op.index()] == placement[group]) continue;
      fail_plan(file, fmt::format("op '{}'", one_line(problem.graph().op(op).name, 80)),
                fmt::format("{}, where '{}' is, with which it shares a device",
                            problem.topology().device(placement[group]).name,
                            one_line(problem.graph().op(first).name, 80)),
                problem.topology().device(devices[op.index()]).name);
    }
    const auto& allowed = problem.groups().allowed(group);
    if (std::ranges::binary_search(allowed, placement[group])) continue;
    fail_plan(file, fmt::format("op '{}'", one_line(problem.graph().op(first).name, 80)),
              "a device that it may use", problem.topology().device(placement[group]).name);
  }
  return placement;
}

}  // namespace

const std::vector<PlanTarget>& plan_targets() {
  static const std::vector<PlanTarget> targets = {
#define PLACER_PLAN_TARGET(function, name) named(name, function##_target()),
#include "io/plans/targets.def"
#undef PLACER_PLAN_TARGET
  };
  return targets;
}

const PlanTarget& find_plan_target(std::string_view name) {
  const auto at = std::ranges::find(plan_targets(), name, &PlanTarget::name);
  if (at != plan_targets().end()) return *at;
  std::vector<std::string> names;
  for (const PlanTarget& target : plan_targets()) names.push_back(target.name);
  throw Error(fmt::format("expected one of {}, found '{}'{}", join(names), one_line(name, 60),
                          did_you_mean(name, names)));
}

Graph graph_for(const PlanTarget& target, Graph graph, const Topology& devices, bool ties_units) {
  std::vector<Op> ops = graph.ops();
  for (Op& op : ops) op.module = module_path(op);  // which groups may say, and they change
  if (target.needs_modules && !model_units(graph, *target.units).are_modules) {
    throw Error(
        fmt::format("plan for {}: expected ops whose names say their modules, such as "
                    "model/layers.0/mlp/Mul, found '{}'",
                    target.name, one_line(ops.front().name, 80)));
  }
  if (target.units == UnitDetail::kLayers && !has_layers(graph)) {
    throw Error(
        fmt::format("plan for {}: expected a model with layers, such as model/layers.0 and "
                    "model/layers.1, found none",
                    target.name));
  }
  using Cpus = PlanTarget::Cpus;
  if (target.cpus == Cpus::kNone || target.cpus == Cpus::kFirst) bar_cpus(target, devices, ops);
  if (target.starts_on_cpu) start_on_cpu(target, devices, graph, ops);
  if (target.cpus == Cpus::kOffload) charge_copies(devices, graph, ops);
  if (target.units) {
    const ModelUnits units = units_for(target, graph);
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

std::vector<std::pair<std::string, Placement>> default_placements(const PlanTarget& target,
                                                                  const Problem& problem) {
  std::vector<std::pair<std::string, Placement>> placements;
  if (target.defaults == nullptr) return placements;
  for (const DefaultPlan& plan : target.defaults(problem)) {
    try {
      placements.emplace_back(plan.name, placement_of(problem, plan.devices, plan.name));
    } catch (const Error&) {
      continue;  // what the framework would refuse
    }
  }
  return placements;
}

Placement read_plan(const PlanTarget& target, const std::string& text, const std::string& file,
                    const Problem& problem) {
  if (target.read == nullptr) {
    throw Error(fmt::format("plan for {}: expected a target whose plans are read, found {}",
                            target.name, target.name));
  }
  return placement_of(problem, target.read(text, file, problem), file);
}

std::string write_plan(const PlanTarget& target, const Problem& problem,
                       const Placement& placement) {
  const PlacedModel model = placed_model(target, problem, placement);
  check_stages(target, model);
  assert(target.write != nullptr);
  return target.write(model);
}

std::vector<PlanFile> write_plan_files(const PlanTarget& target, const Problem& problem,
                                       const Placement& placement, const PlanSource& source) {
  const PlacedModel model = placed_model(target, problem, placement);
  if (!target.runs_any) check_stages(target, model);
  return target.write_files(model, source);
}

}  // namespace placer

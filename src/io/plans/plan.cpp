#include "placer/io/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "io/plans/target.hpp"
#include "placer/base/text.hpp"
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

/// The first op that is not where its group's first op is, or where it may not be.
std::optional<OpId> misplaced_op(const Problem& problem, const std::vector<DeviceId>& devices) {
  for (const GroupId group : IdRange<GroupId>(problem.groups().size())) {
    const auto& ops = problem.groups().ops(group);
    const DeviceId device = devices[ops.front().index()];
    const auto is_elsewhere = [&](OpId op) { return devices[op.index()] != device; };
    const auto other = std::ranges::find_if(ops, is_elsewhere);
    if (other != ops.end()) return *other;
    if (!std::ranges::binary_search(problem.groups().allowed(group), device)) return ops.front();
  }
  return std::nullopt;
}

[[noreturn]] void fail_misplaced(const Problem& problem, const std::vector<DeviceId>& devices,
                                 OpId op, const std::string& file) {
  const auto name_of = [&](OpId each) { return one_line(problem.graph().op(each).name, 80); };
  const auto device_of = [&](OpId each) {
    return problem.topology().device(devices[each.index()]).name;
  };
  const OpId first = problem.groups().ops(problem.groups().of(op)).front();
  fail_plan(file, fmt::format("op '{}'", name_of(op)),
            op == first ? "a device that it may use"
                        : fmt::format("{}, where '{}' is, with which it shares a device",
                                      device_of(first), name_of(first)),
            device_of(op));
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

std::optional<Placement> placement_on(const Problem& problem,
                                      const std::vector<DeviceId>& devices) {
  if (misplaced_op(problem, devices)) return std::nullopt;
  Placement placement{std::vector<DeviceId>(problem.groups().size())};
  for (const OpId op : IdRange<OpId>(problem.op_count())) {
    placement[problem.groups().of(op)] = devices[op.index()];
  }
  return placement;
}

std::vector<std::pair<std::string, Placement>> default_placements(const PlanTarget& target,
                                                                  const Problem& problem) {
  std::vector<std::pair<std::string, Placement>> placements;
  if (target.defaults == nullptr) return placements;
  for (const DefaultPlan& plan : target.defaults(problem)) {
    if (auto placement = placement_on(problem, plan.devices)) {
      placements.emplace_back(plan.name, *std::move(placement));
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
  const std::vector<DeviceId> devices = target.read(text, file, problem);
  if (const auto op = misplaced_op(problem, devices)) fail_misplaced(problem, devices, *op, file);
  return *placement_on(problem, devices);
}

std::string write_plan(const PlanTarget& target, const Problem& problem,
                       const Placement& placement) {
  const PlacedModel model = placed_model(target, problem, placement);
  check_stages(target, model);
  assert(target.write != nullptr);
  return target.write(model);
}

std::string left_out_of_plan(const PlanTarget& target, const Problem& problem,
                             const Placement& placement) {
  if (target.left_out == nullptr) return "";
  return target.left_out(placed_model(target, problem, placement));
}

std::vector<PlanFile> write_plan_files(const PlanTarget& target, const Problem& problem,
                                       const Placement& placement, const PlanSource& source) {
  const PlacedModel model = placed_model(target, problem, placement);
  if (!target.runs_any) check_stages(target, model);
  return target.write_files(model, source);
}

}  // namespace placer

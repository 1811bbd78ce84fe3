#include "fuzz/plans.hpp"

#include <algorithm>
#include <vector>

#include "support/problems.hpp"

namespace placer::testing {
namespace {

/// Three layers of two ops between an embedding and a head, on a CPU and two GPUs.
Problem planned_problem(const PlanTarget& target, bool ties_units) {
  std::vector<Op> ops;
  std::vector<Tensor> tensors;
  for (const char* name :
       {"/model/embed/Gather", "/model/layers.0/attn/MatMul", "/model/layers.0/mlp/MatMul",
        "/model/layers.1/attn/MatMul", "/model/layers.1/mlp/MatMul", "/model/layers.2/attn/MatMul",
        "/model/layers.2/mlp/MatMul", "/head/MatMul"}) {
    if (!ops.empty()) tensors.push_back(tensor(ops.size() - 1, {ops.size()}, 8));
    Op& op = ops.emplace_back(timed_op(name, 1));
    op.seconds.push_back({"cpu", 10});
    op.params_bytes = 1;
    op.params = {module_path(op) + ".weight"};
  }
  const Topology devices({{.name = "cpu:0", .type = "cpu", .memory_bytes = 100},
                          {.name = "gpu:0", .type = "gpu", .memory_bytes = 100},
                          {.name = "gpu:1", .type = "gpu", .memory_bytes = 100}},
                         {{"*", "*", 1}});
  Graph graph =
      graph_for(target, graph_of(std::move(ops), std::move(tensors)), devices, ties_units);
  return Problem(std::move(graph), devices).with_goal(goal_for(target, {}, devices));
}

}  // namespace

bool reads_to_allowed_devices(const PlanTarget& target, const std::string& text,
                              const std::string& file) {
  const Problem problem = planned_problem(target, false);
  const Placement placement = read_plan(target, text, file, problem);
  for (const GroupId group : IdRange<GroupId>(problem.groups().size())) {
    if (!problem.groups().is_allowed(group, placement[group])) return false;
  }
  return true;
}

std::map<std::string, std::string> plan_seeds() {
  std::map<std::string, std::string> seeds;
  for (const PlanTarget& target : plan_targets()) {
    if (target.read == nullptr || target.write == nullptr) continue;
    const Problem problem = planned_problem(target, true);
    const bool takes_cpus = target.cpus == PlanTarget::Cpus::kAny;
    std::vector<DeviceId> devices(problem.op_count(), DeviceId(2));
    std::fill_n(devices.begin(), problem.op_count() / 2, DeviceId(takes_cpus ? 0 : 1));
    const Placement placement = rounded_placement(target, problem, devices);
    seeds["plan-" + target.name] = write_plan(target, problem, placement);
  }
  return seeds;
}

}  // namespace placer::testing

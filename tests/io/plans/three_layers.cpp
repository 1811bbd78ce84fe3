#include "io/plans/three_layers.hpp"

#include "placer/base/errors.hpp"
#include "support/problems.hpp"

namespace placer::plans {

Graph model(const std::string& second) {
  std::vector<Op> ops;
  std::vector<Tensor> tensors;
  std::vector<std::string> names = {"/model/embed/Gather"};
  for (const char* layer : {"/model/layers.0/", "/model/layers.1/", "/model/layers.2/"}) {
    names.push_back(std::string(layer) + "attn/MatMul");
    names.push_back(layer + second + "/MatMul");
  }
  names.insert(names.end(), {"/model/norm/Mul", "/head/MatMul"});
  for (const std::string& name : names) {
    if (!ops.empty()) tensors.push_back(testing::tensor(ops.size() - 1, {ops.size()}, 8));
    Op& op = ops.emplace_back();
    op.name = name;
    op.type = "matmul";
    op.seconds = {{"gpu", 1}, {"cpu", 10}};
    op.params_bytes = kGiB;
    op.params = {module_path(op) + ".weight"};
  }
  return testing::graph_of(std::move(ops), std::move(tensors));
}

Graph with_convolution(const std::vector<std::string>& params) {
  Graph graph = model();
  std::vector<Op> ops = graph.ops();
  ops[0].name = "/conv1/Conv";
  ops[0].type = "conv2d";
  ops[0].params = params;
  return Graph("g", std::move(ops), graph.tensors());
}

Graph experts_model() { return model("mlp/experts.0"); }

Topology machine() {
  std::vector<Device> devices(3);
  const char* names[] = {"cpu:0", "gpu:0", "gpu:1"};
  for (std::size_t i = 0; i < 3; ++i) {
    devices[i].name = names[i];
    devices[i].type = i == 0 ? "cpu" : "gpu";
    devices[i].memory_bytes = (i == 0 ? 100 : 8) * kGiB;
  }
  return Topology(std::move(devices), {{"*", "*", static_cast<double>(kGiB), 0, {}}});
}

Problem problem_for(const std::string& target, bool ties_units) {
  return problem_for(target, model(), ties_units);
}

Problem problem_for(const std::string& name, Graph graph, bool ties_units) {
  const PlanTarget& target = find_plan_target(name);
  const Topology devices = machine();
  const Problem problem(graph_for(target, std::move(graph), devices, ties_units), devices);
  return problem.with_goal(goal_for(target, {}, devices));
}

Placement placed(const Problem& problem, const Devices& devices) {
  Placement placement{std::vector<DeviceId>(problem.groups().size())};
  for (std::size_t op = 0; op < devices.size(); ++op) {
    placement[problem.groups().of(OpId(op))] = DeviceId(devices[op]);
  }
  return placement;
}

Devices devices_of(const Problem& problem, const Placement& placement) {
  Devices devices;
  for (const OpId op : IdRange<OpId>(problem.op_count())) {
    devices.push_back(placement[problem.groups().of(op)].index());
  }
  return devices;
}

std::string plan_of(const std::string& target, const Devices& devices, const Graph& graph) {
  const Problem problem = problem_for(target, graph);
  return write_plan(find_plan_target(target), problem, placed(problem, devices));
}

Devices read(const std::string& target, const std::string& text, const Graph& graph) {
  const Problem problem = problem_for(target, graph, false);
  return devices_of(problem, read_plan(find_plan_target(target), text, "plan", problem));
}

std::string refusal(const std::string& target, const std::string& text, const Graph& graph) {
  try {
    read(target, text, graph);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace placer::plans

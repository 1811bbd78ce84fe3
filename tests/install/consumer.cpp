#include <cstdio>
#include <string>

#include "placer/io/devices_file.hpp"
#include "placer/model/problem.hpp"
#include "placer/search/bounds.hpp"
#include "placer/search/run.hpp"
#include "placer/sim/simulator.hpp"

using namespace placer;

namespace {

Op op_of_seconds(const char* name, double seconds) {
  Op op;
  op.name = name;
  op.seconds = {{"gpu", seconds}};
  return op;
}

Problem two_branches_on_two_devices() {
  std::vector<Op> ops = {op_of_seconds("a", 2), op_of_seconds("b", 3), op_of_seconds("c", 4)};
  std::vector<Tensor> tensors = {{"a out", OpId(0), {OpId(1), OpId(2)}, 1}};
  std::vector<Device> devices = {{"gpu:0", "gpu", 100}, {"gpu:1", "gpu", 100}};
  return Problem(Graph("branches", std::move(ops), std::move(tensors)),
                 Topology(std::move(devices), {{"gpu", "gpu", 1.0, 0.0, {}}}));
}

bool is(const char* what, double expected, double found) {
  if (expected == found) return true;
  std::printf("%s: expected %g, found %g\n", what, expected, found);
  return false;
}

}  // namespace

/// One simulation, one search and the shipped specs, through the installed headers and library.
int main() {
  const Problem problem = two_branches_on_two_devices();
  Simulator simulator(problem, Order::kFifo);
  const Placement one_device{{DeviceId(0), DeviceId(0), DeviceId(0)}};

  SearchRequest request;
  request.optimizer = &find_optimizer("random");
  request.budget.evaluations = 200;
  const SearchResult result = run_search(problem, request);

  const bool simulated = is("one device", 9, to_seconds(simulator.evaluate(one_device).step_ps));
  const bool searched = is("best of two devices", 6, to_seconds(result.score.step_ps));
  const bool shipped =
      is("devices of 4gpu", 5, static_cast<double>(find_devices("4gpu").devices().size()));
  return simulated && searched && shipped ? 0 : 1;
}

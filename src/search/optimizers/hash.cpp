// The hash is of the group's first op's name and the seed. "The TensorFlow Partitioning and
// Scheduling Problem: It's the Critical Path!".

#include "placer/search/optimizer.hpp"
#include "search/core/plain_placements.hpp"

namespace placer {
namespace {

void run(Search& search) {
  const Problem& problem = search.problem();
  std::vector<double> memories;
  for (const Device& device : problem.topology().devices()) {
    memories.push_back(static_cast<double>(device.memory_bytes));
  }
  Placement placement;
  for (const GroupId group : IdRange<GroupId>(problem.groups().size())) {
    const OpId first = problem.groups().ops(group).front();
    const double draw = search.rng().stream(problem.graph().op(first).name).uniform();
    placement.devices.push_back(device_at(problem.groups().allowed(group), memories, draw));
  }
  search.evaluate(placement);
}

}  // namespace

Optimizer hash() {
  return make_optimizer(
      {.summary = "one placement by a hash of the names, in proportion to device memory",
       .unfit_for = "anything but a baseline: it knows neither times nor transfers",
       .source = "Mayer, Mayer, Laich 2017",
       .deterministic = false,
       .anytime = true},
      run);
}

}  // namespace placer

// The hash is of the group's first op's name and the seed. "The TensorFlow Partitioning and
// Scheduling Problem: It's the Critical Path!".

#include "placer/search/optimizer.hpp"

namespace placer {
namespace {

/// Device shares in proportion to memory; equal where none has any.
DeviceId pick(const Problem& problem, GroupId group, double draw) {
  const auto allowed = problem.groups().allowed(group);
  const auto memory = [&](DeviceId device) {
    return static_cast<double>(problem.topology().device(device).memory_bytes);
  };
  double total = 0;
  for (const DeviceId device : allowed) total += memory(device);
  const auto weight = [&](DeviceId device) { return total > 0 ? memory(device) : 1.0; };
  double left = draw * (total > 0 ? total : static_cast<double>(allowed.size()));
  DeviceId picked = allowed.front();
  for (const DeviceId device : allowed) {
    if (weight(device) == 0) continue;
    picked = device;
    if (left < weight(device)) break;
    left -= weight(device);
  }
  return picked;
}

void run(Search& search) {
  const Problem& problem = search.problem();
  Placement placement;
  for (const GroupId group : IdRange<GroupId>(problem.groups().size())) {
    const OpId first = problem.groups().ops(group).front();
    const double draw = search.rng().stream(problem.graph().op(first).name).uniform();
    placement.devices.push_back(pick(problem, group, draw));
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

// A colocation group goes with the mean of its ops. What finds no room goes to the next device.
// "The TensorFlow Partitioning and Scheduling Problem: It's the Critical Path!".

#include <algorithm>

#include "placer/search/optimizer.hpp"
#include "search/groups/group_memory.hpp"
#include "search/groups/topological_groups.hpp"
#include "search/lists/greedy_placement.hpp"

namespace placer {
namespace {

std::vector<GroupId> most_important_first(const Problem& problem) {
  const std::vector<double> importance = path_importance(problem);
  std::vector<GroupId> groups = topological_groups(problem);
  std::ranges::stable_sort(groups, std::greater<>(),
                           [&](GroupId group) { return importance[group.index()]; });
  return groups;
}

void run(Search& search) {
  const Problem& problem = search.problem();
  const std::vector<DeviceId> devices = fastest_first(problem);
  GreedyPlacement made(problem, bytes_of_groups(problem, &GroupMemory::touched_bytes));
  std::size_t ops_before = 0;
  for (const GroupId group : most_important_first(problem)) {
    const std::size_t batch = ops_before * devices.size() / problem.op_count();
    ops_before += problem.groups().ops(group).size();
    DeviceId device = made.candidates(group).front();  // where no device has room
    for (std::size_t tries = 0; tries < devices.size(); ++tries) {
      const DeviceId next = devices[(batch + tries) % devices.size()];
      if (!made.fits(group, next)) continue;
      device = next;
      break;
    }
    made.put(group, device);
  }
  search.evaluate(made.placement());
}

}  // namespace

Optimizer batch_split() {
  return make_optimizer(
      {.summary = "ops by the longest path through them in equal batches, the longest paths on the "
                  "fastest device",
       .unfit_for =
           "transfers that cost anything, and devices that differ much in speed, as all get "
           "equally many ops",
       .source = "Mayer, Mayer, Laich 2017",
       .deterministic = true,
       .anytime = true},
      run);
}

}  // namespace placer

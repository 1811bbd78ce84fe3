// The four factors are from 0 to 1: memory (the share that is taken), importance (1 - the length of
// the longest path through the group times the device's speed, each over the largest), traffic
// (transfers added) and execution time (of all on the device), the last two over the largest among
// the devices with room. Each factor is offset by 0.05, so that a zero leaves the others a say.
// Colocation groups of several ops come first, as in the authors' simulator; within both kinds
// topological order. "The TensorFlow Partitioning and Scheduling Problem: It's the Critical Path!".

#include <algorithm>

#include "placer/search/optimizer.hpp"
#include "search/groups/group_memory.hpp"
#include "search/groups/topological_groups.hpp"
#include "search/lists/greedy_placement.hpp"

namespace placer {
namespace {

constexpr double kOffset = 0.05;

double share(Picoseconds part_ps, Picoseconds most_ps) {
  return most_ps > 0 ? static_cast<double>(part_ps) / static_cast<double>(most_ps) : 1;
}

DeviceId choose(const Problem& problem, const GreedyPlacement& made, GroupId group,
                double importance) {
  struct Candidate {
    DeviceId device;
    Picoseconds own_ps, traffic_ps, execution_ps;
  };
  std::vector<Candidate> candidates;
  for (const DeviceId device : made.candidates(group)) {
    const Picoseconds own_ps = problem.group_ps(group, device);
    candidates.push_back(
        {device, own_ps, made.added_transfers_ps(group, device), made.work_ps(device) + own_ps});
  }
  const auto largest = [&](Picoseconds Candidate::*member) {
    return (*std::ranges::max_element(candidates, {}, member)).*member;
  };
  const Picoseconds most_traffic_ps = largest(&Candidate::traffic_ps);
  const Picoseconds most_execution_ps = largest(&Candidate::execution_ps);
  const Picoseconds fastest_ps =
      (*std::ranges::min_element(candidates, {}, &Candidate::own_ps)).own_ps;
  const auto product = [&](const Candidate& candidate) {
    const double speed = share(fastest_ps, candidate.own_ps);
    return (made.memory_share(candidate.device) + kOffset) * (1 - importance * speed + kOffset) *
           (share(candidate.traffic_ps, most_traffic_ps) + kOffset) *
           (share(candidate.execution_ps, most_execution_ps) + kOffset);
  };
  return (*std::ranges::min_element(candidates, {}, product)).device;
}

void run(Search& search) {
  const Problem& problem = search.problem();
  const std::vector<double> importance = path_importance(problem);
  std::vector<GroupId> groups = topological_groups(problem);
  std::stable_partition(groups.begin(), groups.end(),
                        [&](GroupId group) { return problem.groups().ops(group).size() > 1; });
  GreedyPlacement made(problem, bytes_of_groups(problem, &GroupMemory::touched_bytes));
  for (const GroupId group : groups) {
    made.put(group, choose(problem, made, group, importance[group.index()]));
  }
  search.evaluate(made.placement());
}

}  // namespace

Optimizer mite() {
  return make_optimizer(
      {.summary =
           "each group where the product of memory, importance, traffic and execution time is "
           "least",
       .unfit_for = "graphs in which the order of ops matters, as it balances totals and not what "
                    "runs at once",
       .source = "Mayer, Mayer, Laich 2017",
       .deterministic = true,
       .anytime = true},
      run);
}

}  // namespace placer

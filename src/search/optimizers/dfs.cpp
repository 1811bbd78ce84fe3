// The walk begins at the sources, longest paths first. Traffic is the transfers added, over the
// largest among the devices with room, plus 0.05; execution time is that of all on the device. So a
// path stays where it began until another device has 21 times less to do. Execution time has no
// offset: with one, no device could ever win against one without traffic. "The TensorFlow
// Partitioning and Scheduling Problem: It's the Critical Path!".

#include <algorithm>

#include "placer/search/optimizer.hpp"
#include "search/groups/group_memory.hpp"
#include "search/lists/greedy_placement.hpp"

namespace placer {
namespace {

constexpr double kOffset = 0.05;

class Walker {
 public:
  explicit Walker(const Problem& problem)
      : problem_(problem),
        importance_(path_importance(problem)),
        made_(problem, bytes_of_groups(problem, &GroupMemory::touched_bytes)),
        seen_(problem.op_count(), 0) {}

  Placement run() {
    const Graph& graph = problem_.graph();
    std::vector<OpId> sources;
    for (const OpId op : graph.program_order()) {
      if (graph.inputs(op).empty()) sources.push_back(op);
    }
    push(sources);
    while (!ahead_.empty()) {
      const OpId op = ahead_.back();
      ahead_.pop_back();
      if (seen_[op.index()] != 0) continue;
      seen_[op.index()] = 1;
      const GroupId group = problem_.groups().of(op);
      if (!made_.is_placed(group)) made_.put(group, choose(group));
      std::vector<OpId> consumers;
      for (const TensorId output : graph.outputs(op)) {
        const std::vector<OpId>& readers = graph.tensor(output).consumers;
        consumers.insert(consumers.end(), readers.begin(), readers.end());
      }
      push(consumers);
    }
    return made_.placement();
  }

 private:
  /// To be walked in the order of importance, then program order.
  void push(std::vector<OpId>& ops) {
    std::ranges::sort(ops, [&](OpId a, OpId b) {
      const double importance_a = importance_[problem_.groups().of(a).index()];
      const double importance_b = importance_[problem_.groups().of(b).index()];
      if (importance_a != importance_b) return importance_a < importance_b;
      return problem_.graph().program_position(a) > problem_.graph().program_position(b);
    });
    ahead_.insert(ahead_.end(), ops.begin(), ops.end());
  }

  DeviceId choose(GroupId group) const {
    const std::vector<DeviceId> candidates = made_.candidates(group);
    Picoseconds most_traffic_ps = 1;
    for (const DeviceId device : candidates) {
      most_traffic_ps = std::max(most_traffic_ps, made_.added_transfers_ps(group, device));
    }
    return *std::ranges::min_element(candidates, {}, [&](DeviceId device) {
      const double traffic = static_cast<double>(made_.added_transfers_ps(group, device)) /
                             static_cast<double>(most_traffic_ps);
      const Picoseconds execution_ps = made_.work_ps(device) + problem_.group_ps(group, device);
      return (traffic + kOffset) * static_cast<double>(execution_ps);
    });
  }

  const Problem& problem_;
  const std::vector<double> importance_;  // by group
  GreedyPlacement made_;
  std::vector<char> seen_;   // by op
  std::vector<OpId> ahead_;  // the next one last
};

void run(Search& search) { search.evaluate(Walker(search.problem()).run()); }

}  // namespace

Optimizer dfs() {
  return make_optimizer(
      {.summary =
           "along a depth-first walk, each group where traffic times execution time is least",
       .unfit_for = "chains, which it breaks where the first device has got much of the work, and "
                    "short-lived activations, as it counts all of them",
       .source = "Mayer, Mayer, Laich 2017",
       .deterministic = true,
       .anytime = true},
      run);
}

}  // namespace placer

#include <algorithm>
#include <array>
#include <functional>

#include "placer/sim/simulator.hpp"

namespace placer {

std::vector<Picoseconds> upward_ranks(const Problem& problem, const Placement& placement) {
  const Graph& graph = problem.graph();
  const Groups& groups = problem.groups();
  std::vector<Picoseconds> ranks(problem.op_count());
  for (std::size_t at = graph.program_order().size(); at-- > 0;) {
    const OpId op = graph.program_order()[at];
    const DeviceId device = placement[groups.of(op)];
    Picoseconds longest = 0;
    for (const TensorId output : graph.outputs(op)) {
      for (const OpId consumer : graph.tensor(output).consumers) {
        const DeviceId to = placement[groups.of(consumer)];
        longest = std::max(
            longest, problem.costs().transfer_ps(output, device, to) + ranks[consumer.index()]);
      }
    }
    ranks[op.index()] = problem.costs().op_ps(op, device) + longest;
  }
  return ranks;
}

Sequences upward_rank_sequences(const Problem& problem, const Placement& placement) {
  const Graph& graph = problem.graph();
  const std::vector<Picoseconds> ranks = upward_ranks(problem, placement);
  OpOrder ops = graph.program_order();
  std::ranges::stable_sort(ops, std::ranges::greater(), [&](OpId op) { return ranks[op.index()]; });
  return sequences_of(problem, placement, ops);
}

}  // namespace placer

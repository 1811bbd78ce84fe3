#include "sim/ranks.hpp"

#include <algorithm>
#include <array>

#include "placer/sim/simulator.hpp"

namespace placer {

std::span<const std::string> order_names() {
  static const std::array<std::string, 6> names = {"fifo", "priority", "pct",
                                                   "msr",  "program",  "given"};
  return names;
}

const std::string& order_name(Order order) {
  return order_names()[static_cast<std::size_t>(order)];
}

void fill_upward_ranks(const Problem& problem, const Placement& placement,
                       std::vector<Picoseconds>& ranks) {
  const Graph& graph = problem.graph();
  const Groups& groups = problem.groups();
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
}

void sort_by_rank(const Graph& graph, const std::vector<Picoseconds>& ranks,
                  std::vector<OpId>& ops) {
  std::ranges::sort(ops, [&](OpId a, OpId b) {
    if (ranks[a.index()] != ranks[b.index()]) return ranks[a.index()] > ranks[b.index()];
    return graph.program_position(a) < graph.program_position(b);
  });
}

std::vector<Picoseconds> upward_ranks(const Problem& problem, const Placement& placement) {
  std::vector<Picoseconds> ranks(problem.op_count());
  fill_upward_ranks(problem, placement, ranks);
  return ranks;
}

Sequences upward_rank_sequences(const Problem& problem, const Placement& placement) {
  OpOrder ops = problem.graph().program_order();
  sort_by_rank(problem.graph(), upward_ranks(problem, placement), ops);
  return sequences_of(problem, placement, ops);
}

}  // namespace placer

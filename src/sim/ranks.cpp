#include "sim/ranks.hpp"

#include <fmt/format.h>

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
  std::vector<OpId> ops = problem.graph().program_order();
  sort_by_rank(problem.graph(), upward_ranks(problem, placement), ops);
  Sequences sequences(problem.device_count());
  for (const OpId op : ops) sequences[placement[problem.groups().of(op)].index()].push_back(op);
  return sequences;
}

std::string deadlock_of(const Problem& problem, const Sequences& sequences) {
  const Graph& graph = problem.graph();
  constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::vector<std::size_t> missing(graph.ops().size());
  std::vector<std::size_t> next(graph.ops().size(), kNone);  // in the op's sequence
  for (const OpId op : IdRange<OpId>(missing.size())) missing[op.index()] = graph.inputs(op).size();
  for (const std::vector<OpId>& sequence : sequences) {
    for (std::size_t at = 1; at < sequence.size(); ++at) {
      next[sequence[at - 1].index()] = sequence[at].index();
      ++missing[sequence[at].index()];
    }
  }
  std::vector<OpId> runnable;
  const auto release = [&](std::size_t op) {
    if (--missing[op] == 0) runnable.emplace_back(op);
  };
  for (const OpId op : IdRange<OpId>(missing.size())) {
    if (missing[op.index()] == 0) runnable.push_back(op);
  }
  for (std::size_t at = 0; at < runnable.size(); ++at) {
    const OpId op = runnable[at];
    if (next[op.index()] != kNone) release(next[op.index()]);
    for (const TensorId output : graph.outputs(op)) {
      for (const OpId consumer : graph.tensor(output).consumers) release(consumer.index());
    }
  }
  if (runnable.size() == graph.ops().size()) return "";
  for (const std::vector<OpId>& sequence : sequences) {
    for (const OpId op : sequence) {
      if (missing[op.index()] == 0) continue;
      for (const TensorId input : graph.inputs(op)) {
        const OpId producer = graph.tensor(input).producer;
        if (missing[producer.index()] == 0) continue;
        return fmt::format("'{}' waits for '{}', which never runs", graph.op(op).name,
                           graph.op(producer).name);
      }
      break;  // the device's first blocked op waits for nothing but its sequence
    }
  }
  return "the sequences wait for each other";
}

}  // namespace placer

#include <fmt/format.h>

#include <functional>
#include <queue>

#include "placer/base/text.hpp"
#include "placer/sim/simulator.hpp"

namespace placer {
Sequences sequences_of(const Problem& problem, const Placement& placement, const OpOrder& order) {
  Sequences sequences(problem.device_count());
  for (const OpId op : order) sequences[placement[problem.groups().of(op)].index()].push_back(op);
  return sequences;
}

OpOrder op_order_of(const Problem& problem, const Sequences& sequences) {
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
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> runnable;
  const auto release = [&](std::size_t op) {
    if (--missing[op] == 0) runnable.push(op);
  };
  for (std::size_t op = 0; op < missing.size(); ++op) {
    if (missing[op] == 0) runnable.push(op);
  }
  OpOrder order;
  while (!runnable.empty()) {
    const OpId op(runnable.top());
    runnable.pop();
    order.push_back(op);
    if (next[op.index()] != kNone) release(next[op.index()]);
    for (const TensorId output : graph.outputs(op)) {
      for (const OpId consumer : graph.tensor(output).consumers) release(consumer.index());
    }
  }
  return order;
}

OpOrder order_by_start(const Problem& problem, const Schedule& schedule) {
  OpOrder order = problem.graph().program_order();
  std::ranges::stable_sort(order, {}, [&](OpId op) {
    const OpRun& run = schedule.ops[op.index()];
    return std::pair(run.start_ps, run.end_ps);
  });
  return order;
}

std::string deadlock_of(const Problem& problem, const Sequences& sequences) {
  const Graph& graph = problem.graph();
  std::vector<char> ran(graph.ops().size(), 0);
  const OpOrder order = op_order_of(problem, sequences);
  if (order.size() == graph.ops().size()) return "";
  for (const OpId op : order) ran[op.index()] = 1;
  for (const std::vector<OpId>& sequence : sequences) {
    for (const OpId op : sequence) {
      if (ran[op.index()] != 0) continue;
      for (const TensorId input : graph.inputs(op)) {
        const OpId producer = graph.tensor(input).producer;
        if (ran[producer.index()] != 0) continue;
        return fmt::format("'{}' waits for '{}', which never runs", shown_name(graph.op(op).name),
                           shown_name(graph.op(producer).name));
      }
      break;  // the device's first blocked op waits for nothing but its sequence
    }
  }
  return "the sequences wait for each other";
}

}  // namespace placer

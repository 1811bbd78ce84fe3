#include "model/pipelines/weight_gradients.hpp"

#include <algorithm>

#include "placer/base/errors.hpp"

namespace placer {

std::vector<char> weight_gradients(const Problem& problem, const Placement& placement,
                                   const std::vector<char>& once,
                                   const std::vector<DeviceId>& stages) {
  const Graph& graph = problem.graph();
  const auto device_of = [&](OpId op) { return placement[problem.groups().of(op)]; };
  std::vector<char> found(problem.op_count(), 0);
  const std::vector<OpId>& order = graph.program_order();
  for (auto op = order.rbegin(); op != order.rend(); ++op) {
    if (!graph.op(*op).backward || once[op->index()] != 0 || device_of(*op) == stages.front()) {
      continue;
    }
    const auto may_wait = [&](OpId consumer) {
      return once[consumer.index()] != 0 ||
             (found[consumer.index()] != 0 && device_of(consumer) == device_of(*op));
    };
    found[op->index()] = std::ranges::all_of(graph.outputs(*op), [&](TensorId output) {
      return std::ranges::all_of(graph.tensor(output).consumers, may_wait);
    });
  }
  if (stages.size() > 1 && std::ranges::count(found, 0) == std::ssize(found)) {
    throw Error(
        "schedule: expected gradients of weights in ops of their own for zero-bubble, found none "
        "behind the first stage");
  }
  return found;
}

}  // namespace placer

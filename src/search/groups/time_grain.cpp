#include "search/groups/time_grain.hpp"

#include <algorithm>
#include <numeric>

namespace placer {

Picoseconds time_grain(const Problem& problem) {
  Picoseconds divisor_ps = 0;
  for (const OpId op : IdRange<OpId>(problem.op_count())) {
    for (const DeviceId device : problem.groups().allowed(problem.groups().of(op))) {
      divisor_ps = std::gcd(divisor_ps, problem.costs().op_ps(op, device));
    }
  }
  for (const TensorId id : IdRange<TensorId>(problem.graph().tensors().size())) {
    if (divisor_ps == 1) break;
    const GroupId producer = problem.groups().of(problem.graph().tensor(id).producer);
    for (const OpId op : problem.graph().tensor(id).consumers) {
      const GroupId consumer = problem.groups().of(op);
      if (consumer == producer) continue;
      for (const DeviceId from : problem.groups().allowed(producer)) {
        for (const DeviceId to : problem.groups().allowed(consumer)) {
          divisor_ps = std::gcd(divisor_ps, problem.costs().transfer_ps(id, from, to));
        }
      }
    }
  }
  return std::max<Picoseconds>(divisor_ps, 1);
}

}  // namespace placer

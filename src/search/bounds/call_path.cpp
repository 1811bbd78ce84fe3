#include "search/bounds/call_path.hpp"

#include <algorithm>

#include "search/bounds/join_time.hpp"
#include "search/bounds/least_copies.hpp"

namespace placer {

CallCosts::CallCosts(const Problem& given, const MemoryFit& room)
    : problem(given), fit(room), memory(given), copy_ps(least_copies_ps(given)) {
  std::vector<DeviceId> hosts;
  std::vector<std::size_t> seen;
  for (const DeviceId device : IdRange<DeviceId>(problem.device_count())) {
    if (problem.topology().device(device).host) {
      hosts.push_back(device);
      continue;
    }
    ++calls;
    const std::size_t kind = problem.costs().kind(device);
    if (std::ranges::count(seen, kind) > 0) continue;
    seen.push_back(kind);
    kinds.push_back(device);
  }
  for (const OpId op : IdRange<OpId>(problem.op_count())) {
    const auto least = [&](const std::vector<DeviceId>& devices) {
      Picoseconds ps = kNeverPs;
      for (const DeviceId device : devices) {
        if (may_call(op, device)) ps = std::min(ps, problem.costs().op_ps(op, device));
      }
      return ps;
    };
    host_ps.push_back(least(hosts));
    call_ps.push_back(least(kinds));
  }
}

CallPath::CallPath(const Problem& problem, std::vector<OpId> along)
    : ops(std::move(along)),
      from(problem.op_count(), -1),
      to(problem.op_count(), length()),
      ops_to(ops.size() + 1) {
  for (std::int64_t place = 0; place < length(); ++place) {
    const OpId op = ops[static_cast<std::size_t>(place)];
    from[op.index()] = to[op.index()] = place;
  }
  const Graph& graph = problem.graph();
  const auto for_each_reader = [&](OpId op, const auto& visit) {
    for (const TensorId tensor : graph.outputs(op)) {
      for (const OpId consumer : graph.tensor(tensor).consumers) visit(consumer.index());
    }
  };
  const std::vector<OpId>& order = graph.program_order();
  for (const OpId op : order) {
    for_each_reader(
        op, [&](std::size_t reader) { from[reader] = std::max(from[reader], from[op.index()]); });
  }
  for (auto op = order.rbegin(); op != order.rend(); ++op) {
    for_each_reader(
        *op, [&](std::size_t reader) { to[op->index()] = std::min(to[op->index()], to[reader]); });
    ops_to[static_cast<std::size_t>(to[op->index()])].push_back(*op);
  }
  for (const Tensor& tensor : graph.tensors()) {
    std::int64_t& last = read_from.emplace_back(-1);
    if (tensor.bytes == 0) continue;
    for (const OpId consumer : tensor.consumers) last = std::max(last, from[consumer.index()]);
  }
}

}  // namespace placer

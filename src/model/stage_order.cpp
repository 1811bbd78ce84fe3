#include "model/stage_order.hpp"

#include <fmt/format.h>

#include <functional>
#include <queue>
#include <set>

#include "placer/base/errors.hpp"

namespace placer {
namespace {

/// Which devices stand directly before which others.
class DeviceOrder {
 public:
  explicit DeviceOrder(std::size_t devices) : after_(devices), is_used_(devices, 0) {}

  void use(DeviceId device) { is_used_[device.index()] = 1; }
  /// False, with nothing added, where `second` stands before `first` already.
  bool put(DeviceId first, DeviceId second) {
    if (after_[first.index()].contains(second)) return true;
    if (leads(second, first)) return false;
    after_[first.index()].insert(second);
    return true;
  }
  std::vector<DeviceId> sorted() const;

 private:
  bool leads(DeviceId from, DeviceId to) const;

  std::vector<std::set<DeviceId>> after_;  // by device
  std::vector<char> is_used_;
};

bool DeviceOrder::leads(DeviceId from, DeviceId to) const {
  std::vector<char> seen(after_.size(), 0);
  std::vector<DeviceId> open = {from};
  while (!open.empty()) {
    const DeviceId device = open.back();
    open.pop_back();
    if (device == to) return true;
    if (seen[device.index()] != 0) continue;
    seen[device.index()] = 1;
    open.insert(open.end(), after_[device.index()].begin(), after_[device.index()].end());
  }
  return false;
}

std::vector<DeviceId> DeviceOrder::sorted() const {
  std::vector<std::size_t> before(after_.size());
  for (const std::set<DeviceId>& others : after_) {
    for (const DeviceId device : others) ++before[device.index()];
  }
  std::priority_queue<DeviceId, std::vector<DeviceId>, std::greater<>> next;
  for (const DeviceId device : IdRange<DeviceId>(after_.size())) {
    if (is_used_[device.index()] != 0 && before[device.index()] == 0) next.push(device);
  }
  std::vector<DeviceId> order;
  while (!next.empty()) {
    order.push_back(next.top());
    next.pop();
    for (const DeviceId device : after_[order.back().index()]) {
      if (--before[device.index()] == 0) next.push(device);
    }
  }
  return order;
}

}  // namespace

std::vector<DeviceId> stage_order(const Problem& problem, const Placement& placement,
                                  const std::vector<char>& once) {
  const Graph& graph = problem.graph();
  const auto device_of = [&](OpId op) { return placement[problem.groups().of(op)]; };
  DeviceOrder order(problem.device_count());
  for (const OpId op : graph.program_order()) {
    if (once[op.index()] != 0) continue;
    const DeviceId own = device_of(op);
    const bool is_backward = graph.op(op).backward;
    order.use(own);
    for (const TensorId input : graph.inputs(op)) {
      const OpId producer = graph.tensor(input).producer;
      const DeviceId from = device_of(producer);
      if (!is_backward && graph.op(producer).backward) {
        throw Error(fmt::format(
            "ops: expected forward ops that read from forward ops, found '{}', which reads from "
            "the backward op '{}'",
            graph.op(op).name, graph.op(producer).name));
      }
      if (from == own || graph.op(producer).backward != is_backward) continue;
      if (is_backward ? order.put(own, from) : order.put(from, own)) continue;
      const auto name = [&](DeviceId device) { return problem.topology().device(device).name; };
      throw Error(fmt::format(
          "placement: expected stages that follow each other, found '{}' on {}, which reads from "
          "{} though that has to come {} it",
          graph.op(op).name, name(own), name(from), is_backward ? "before" : "behind"));
    }
  }
  return order.sorted();
}

}  // namespace placer

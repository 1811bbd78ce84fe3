#include "model/pipelines/stage_order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <queue>
#include <set>

#include "placer/base/errors.hpp"
#include "placer/base/text.hpp"

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

void check_direction(const Graph& graph, OpId op, OpId producer) {
  if (graph.op(op).backward || !graph.op(producer).backward) return;
  throw Error(fmt::format(
      "ops: expected forward ops that read from forward ops, found '{}', which reads from the "
      "backward op '{}'",
      shown_name(graph.op(op).name), shown_name(graph.op(producer).name)));
}

/// The devices of the forward pass, by its first ways between them, and others behind.
std::vector<DeviceId> turn_order(const Problem& problem, const Placement& placement,
                                 const std::vector<char>& once) {
  const Graph& graph = problem.graph();
  DeviceOrder order(problem.device_count());
  for (const OpId op : graph.program_order()) {
    if (once[op.index()] != 0) continue;
    const DeviceId own = placement[problem.groups().of(op)];
    order.use(own);
    for (const TensorId input : graph.inputs(op)) {
      const OpId producer = graph.tensor(input).producer;
      check_direction(graph, op, producer);
      const DeviceId from = placement[problem.groups().of(producer)];
      if (!graph.op(op).backward && from != own) order.put(from, own);
    }
  }
  return order.sorted();
}

/// The turns of ops, counted over all devices.
class Turns {
 public:
  Turns(const Problem& problem, const Placement& placement, const std::vector<char>& once,
        const std::vector<DeviceId>& order)
      : problem_(problem), placement_(placement), order_(order), turn_(problem.op_count(), 0) {
    for (const OpId op : problem.graph().program_order()) {
      if (once[op.index()] == 0 && !problem.graph().op(op).backward) take_forward(op);
    }
    for (const OpId op : problem.graph().program_order()) {
      if (once[op.index()] == 0 && problem.graph().op(op).backward) take_backward(op);
    }
  }
  const std::vector<std::size_t>& turns() const { return turn_; }

 private:
  std::size_t position(OpId op) const {
    const DeviceId device = placement_[problem_.groups().of(op)];
    return static_cast<std::size_t>(std::ranges::find(order_, device) - order_.begin());
  }
  void take_forward(OpId op) {
    std::size_t least = 0;
    for (const TensorId input : problem_.graph().inputs(op)) {
      least = std::max(least, turn_[problem_.graph().tensor(input).producer.index()]);
    }
    const std::size_t own = position(op), past = least % order_.size();
    turn_[op.index()] = least - past + own + (own < past ? order_.size() : 0);
    last_ = std::max(last_, turn_[op.index()]);
  }
  void take_backward(OpId op) {
    const Graph& graph = problem_.graph();
    std::size_t most = last_;
    for (const TensorId input : graph.inputs(op)) {
      const OpId producer = graph.tensor(input).producer;
      if (graph.op(producer).backward) most = std::min(most, turn_[producer.index()]);
    }
    const std::size_t own = position(op), past = most % order_.size();
    if (own > most) {
      throw Error(fmt::format(
          "placement: expected backward ops that go back as the forward pass came, found '{}' on "
          "{}, behind the first turn of the devices",
          shown_name(graph.op(op).name), shown_name(problem_.topology().device(order_[own]).name)));
    }
    turn_[op.index()] = most - past + own - (own > past ? order_.size() : 0);
  }

  const Problem& problem_;
  const Placement& placement_;
  const std::vector<DeviceId>& order_;
  std::vector<std::size_t> turn_;  // by op
  std::size_t last_ = 0;
};

}  // namespace

DealtChunks dealt_chunks(const Problem& problem, const Placement& placement,
                         const std::vector<char>& once) {
  DealtChunks dealt{.devices = turn_order(problem, placement, once)};
  const Turns turns(problem, placement, once, dealt.devices);
  for (const std::size_t turn : turns.turns()) {
    dealt.chunk_of.push_back(turn / dealt.devices.size());
    dealt.chunks = std::max(dealt.chunks, dealt.chunk_of.back() + 1);
  }
  return dealt;
}

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
      check_direction(graph, op, producer);
      if (from == own || graph.op(producer).backward != is_backward) continue;
      if (is_backward ? order.put(own, from) : order.put(from, own)) continue;
      const auto name = [&](DeviceId device) {
        return shown_name(problem.topology().device(device).name);
      };
      throw Error(fmt::format(
          "placement: expected stages that follow each other, found '{}' on {}, which reads from "
          "{} though that has to come {} it",
          shown_name(graph.op(op).name), name(own), name(from), is_backward ? "before" : "behind"));
    }
  }
  return order.sorted();
}

}  // namespace placer

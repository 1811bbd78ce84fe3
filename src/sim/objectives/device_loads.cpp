#include "sim/objectives/device_loads.hpp"

#include <algorithm>

namespace placer {

DeviceLoads::DeviceLoads(const Problem& problem)
    : problem_(problem),
      memory_(problem),
      met_(problem.device_count(), 0),
      is_touched_(problem.graph().tensors().size(), 0) {}

void DeviceLoads::place(const Placement& placement) {
  placement_ = placement;
  for (std::vector<Picoseconds>* sums : {&work_ps_, &sent_ps_, &received_ps_}) {
    sums->assign(problem_.device_count(), 0);
  }
  memory_.clear();
  for (const OpId op : IdRange<OpId>(problem_.op_count())) count_op(op, 1);
  for (const TensorId tensor : IdRange<TensorId>(problem_.graph().tensors().size())) {
    count_tensor(tensor, 1);
  }
}

void DeviceLoads::move(std::span<const Move> moves) {
  collect_tensors(moves);
  const auto count_all = [&](int sign) {
    for (const Move& move : moves) {
      for (const OpId op : problem_.groups().ops(move.group)) count_op(op, sign);
    }
    for (const TensorId tensor : touched_) count_tensor(tensor, sign);
  };
  count_all(-1);
  for (const Move& move : moves) placement_[move.group] = move.device;
  count_all(1);
  for (const TensorId tensor : touched_) is_touched_[tensor.index()] = 0;
}

void DeviceLoads::collect_tensors(std::span<const Move> moves) {
  touched_.clear();
  const auto touch = [&](TensorId tensor) {
    if (is_touched_[tensor.index()] != 0) return;
    is_touched_[tensor.index()] = 1;
    touched_.push_back(tensor);
  };
  for (const Move& move : moves) {
    for (const OpId op : problem_.groups().ops(move.group)) {
      for (const TensorId tensor : problem_.graph().inputs(op)) touch(tensor);
      for (const TensorId tensor : problem_.graph().outputs(op)) touch(tensor);
    }
  }
}

void DeviceLoads::count_op(OpId op, int sign) {
  const DeviceId device = placement_[problem_.groups().of(op)];
  work_ps_[device.index()] += sign * problem_.costs().op_ps(op, device);
  memory_.count_op(op, device, sign);
}

void DeviceLoads::count_tensor(TensorId tensor, int sign) {
  const Tensor& made = problem_.graph().tensor(tensor);
  if (made.bytes == 0) return;
  const DeviceId from = placement_[problem_.groups().of(made.producer)];
  met_[from.index()] = ++stamp_;
  Picoseconds slowest_ps = 0;
  bool leaves = false;
  for (const OpId consumer : made.consumers) {
    const DeviceId to = placement_[problem_.groups().of(consumer)];
    if (std::exchange(met_[to.index()], stamp_) == stamp_) continue;
    const Picoseconds transfer_ps = problem_.costs().transfer_ps(tensor, from, to);
    received_ps_[to.index()] += sign * transfer_ps;
    memory_.count_received(tensor, to, sign);
    slowest_ps = std::max(slowest_ps, transfer_ps);
    leaves = true;
  }
  sent_ps_[from.index()] += sign * slowest_ps;
  memory_.count_made(tensor, from, leaves, sign);
}

Picoseconds pipeline_load(const Topology& topology, DeviceId id, Picoseconds ops_ps,
                          Picoseconds sent_ps, Picoseconds received_ps) {
  const Device& device = topology.device(id);
  const Picoseconds work_ps = (ops_ps + device.slots - 1) / device.slots;
  if (device.host) return work_ps;
  if (topology.transfers() == Transfers::kSerial) return work_ps + sent_ps + received_ps;
  if (topology.contention() == Contention::kHalfDuplex) {
    return std::max(work_ps, sent_ps + received_ps);
  }
  return std::max({work_ps, sent_ps, received_ps});
}

Picoseconds DeviceLoads::load_ps(DeviceId device) const {
  const std::size_t at = device.index();
  return pipeline_load(problem_.topology(), device, work_ps_[at], sent_ps_[at], received_ps_[at]);
}

Picoseconds DeviceLoads::serial_ps(DeviceId device) const {
  const std::size_t at = device.index();
  return work_ps_[at] + sent_ps_[at] + received_ps_[at];
}

Score DeviceLoads::score() const {
  Score score{memory_.overflow_bytes(), 0};
  for (const DeviceId device : IdRange<DeviceId>(problem_.device_count())) {
    score.step_ps = std::max(score.step_ps, load_ps(device));
  }
  return score;
}

}  // namespace placer

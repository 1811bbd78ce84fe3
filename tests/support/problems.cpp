#include "support/problems.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace placer::testing {

Op timed_op(std::string name, double seconds) {
  Op op;
  op.name = std::move(name);
  op.seconds = {{"gpu", seconds}};
  return op;
}

Op on(Op op, std::vector<std::string> devices) {
  op.devices = std::move(devices);
  return op;
}

std::vector<Op> seconds_each(std::vector<double> seconds, const std::string& group) {
  std::vector<Op> ops;
  for (const double time : seconds) {
    ops.push_back(timed_op("op" + std::to_string(ops.size()), time));
    ops.back().group = group;
  }
  return ops;
}

Tensor tensor(std::size_t producer, std::vector<std::size_t> consumers, std::int64_t bytes) {
  Tensor made;
  made.producer = OpId(producer);
  for (const std::size_t consumer : consumers) made.consumers.emplace_back(consumer);
  made.bytes = bytes;
  return made;
}

Graph graph_of(std::vector<Op> ops, std::vector<Tensor> tensors) {
  return Graph("test", std::move(ops), std::move(tensors));
}

Topology alike(const Machine& machine) {
  std::vector<Device> devices;
  for (std::size_t d = 0; d < machine.devices; ++d) {
    Device device;
    device.name = fmt::format("gpu:{}", d);
    device.type = "gpu";
    device.memory_bytes = machine.memory_bytes;
    device.slots = machine.slots;
    devices.push_back(device);
  }
  Link link;
  link.from = link.to = "*";
  link.bytes_per_second = machine.bytes_per_second;
  link.latency_seconds = machine.latency_seconds;
  return Topology(devices, {link}, machine.contention);
}

Graph chain(std::size_t length, std::int64_t bytes) {
  std::vector<Op> ops;
  std::vector<Tensor> tensors;
  for (std::size_t i = 0; i < length; ++i) {
    ops.push_back(timed_op(fmt::format("op{}", i), 1));
    if (i > 0) tensors.push_back(tensor(i - 1, {i}, bytes));
  }
  return graph_of(std::move(ops), std::move(tensors));
}

Graph fork_join(std::size_t width, std::int64_t bytes) {
  std::vector<Op> ops;
  for (std::size_t i = 0; i < width + 2; ++i) ops.push_back(timed_op(fmt::format("op{}", i), 1));
  std::vector<std::size_t> branches;
  std::vector<Tensor> tensors;
  for (std::size_t i = 1; i <= width; ++i) {
    branches.push_back(i);
    tensors.push_back(tensor(i, {width + 1}, bytes));
  }
  tensors.push_back(tensor(0, branches, bytes));
  return graph_of(std::move(ops), std::move(tensors));
}

Graph diamond(std::int64_t bytes) {
  return graph_of(
      {timed_op("a", 1), timed_op("b", 2), timed_op("c", 3), timed_op("d", 1)},
      {tensor(0, {1}, bytes), tensor(0, {2}, bytes), tensor(1, {3}, bytes), tensor(2, {3}, bytes)});
}

Placement on_devices(const std::vector<std::size_t>& devices) {
  Placement placement;
  for (const std::size_t device : devices) placement.devices.emplace_back(device);
  return placement;
}

Problem doubled(const Problem& problem) {
  std::vector<Op> ops = problem.graph().ops();
  for (Op& op : ops) {
    for (auto& [device, seconds] : op.seconds) seconds *= 2;
    op.params_bytes *= 2;
    op.temp_bytes *= 2;
    if (op.flops) *op.flops *= 2;
    if (op.bytes) *op.bytes *= 2;
  }
  std::vector<Tensor> tensors = problem.graph().tensors();
  for (Tensor& each : tensors) {
    each.bytes *= 2;
    if (each.transfer_seconds) *each.transfer_seconds *= 2;
  }
  std::vector<Device> devices = problem.topology().devices();
  for (Device& device : devices) {
    device.launch_seconds *= 2;
    const std::int64_t half = std::numeric_limits<std::int64_t>::max() / 2;
    device.memory_bytes = 2 * std::min(device.memory_bytes, half);
  }
  std::vector<Link> links = problem.topology().links();
  for (Link& link : links) link.latency_seconds *= 2;
  return Problem(Graph(problem.graph().name(), ops, tensors),
                 Topology(devices, links, problem.topology().contention()));
}

}  // namespace placer::testing

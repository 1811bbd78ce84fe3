#include "problems.hpp"

#include <fmt/core.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "placer/base/rng.hpp"
#include "placer/io/devices_file.hpp"
#include "placer/io/graph_file.hpp"

namespace placer::bench {

namespace {

constexpr std::size_t kColumns = 8;
constexpr std::size_t kDevices = 4;

Op random_op(std::size_t index, Rng& rng) {
  Op op;
  op.name = fmt::format("op{}", index);
  op.seconds = {{"gpu", 1e-5 + rng.uniform() * 1e-3}};
  op.params_bytes = static_cast<std::int64_t>(rng.below(1'000'000));
  op.temp_bytes = static_cast<std::int64_t>(rng.below(1'000'000));
  return op;
}

/// The ops of the layer before that op `index` reads.
std::set<std::size_t> random_inputs(std::size_t index, Rng& rng) {
  if (index < kColumns) return {};
  const std::size_t layer_before = (index / kColumns - 1) * kColumns;
  std::set<std::size_t> inputs = {index - kColumns};
  for (int extra = 0; extra < 2; ++extra) {
    if (rng.chance(0.3)) inputs.insert(layer_before + rng.below(kColumns));
  }
  return inputs;
}

Topology four_gpus(Contention contention) {
  std::vector<Device> devices;
  for (std::size_t i = 0; i < kDevices; ++i) {
    Device device;
    device.name = fmt::format("gpu:{}", i);
    device.type = "gpu";
    device.memory_bytes = std::int64_t{1} << 40;
    devices.push_back(std::move(device));
  }
  Link link;
  link.from = link.to = "gpu";
  link.bytes_per_second = 7.6e9;
  link.latency_seconds = 25e-6;
  return Topology(std::move(devices), {link}, contention);
}

}  // namespace

Problem layered_problem(std::size_t ops, Contention contention) {
  Rng rng(1);
  std::vector<Op> all;
  std::vector<Tensor> tensors;
  for (std::size_t i = 0; i < ops; ++i) {
    all.push_back(random_op(i, rng));
    Tensor output;
    output.name = fmt::format("t{}", i);
    output.producer = OpId(i);
    output.bytes = static_cast<std::int64_t>(1 + rng.below(8'000'000));
    tensors.push_back(std::move(output));
    for (const std::size_t input : random_inputs(i, rng)) {
      tensors[input].consumers.push_back(OpId(i));
    }
  }
  return Problem(Graph(fmt::format("layered {}", ops), std::move(all), std::move(tensors)),
                 four_gpus(contention));
}

Placement columns_on_devices(const Problem& problem) {
  Placement placement;
  for (std::size_t op = 0; op < problem.op_count(); ++op) {
    placement.devices.push_back(DeviceId(op % kColumns * kDevices / kColumns));
  }
  return placement;
}

Problem inception_problem() {
  GraphFile file = read_graph(PLACER_SOURCE_DIR "/graphs/inception_v3.json");
  return Problem(std::move(file.graph), find_devices("4gpu"));
}

Placement random_placement(const Problem& problem, std::uint64_t seed) {
  Rng rng(seed);
  Placement placement;
  for (const GroupId group : IdRange<GroupId>(problem.groups().size())) {
    placement.devices.push_back(rng.pick(problem.groups().allowed(group)));
  }
  return placement;
}

}  // namespace placer::bench

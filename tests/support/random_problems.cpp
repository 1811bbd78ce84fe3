#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "support/problems.hpp"

namespace placer::testing {
namespace {

/// Small and often 0; in one problem of eight any real number, so that rounding is tried as well.
struct Times {
  bool real;
  double zero_share;

  double draw(Rng& rng) const {
    if (rng.chance(zero_share)) return 0;
    return real ? rng.uniform() * 3 : static_cast<double>(1 + rng.below(3));
  }
};

std::vector<Device> random_devices(Rng& rng, const RandomProblem& shape) {
  std::vector<Device> devices;
  const std::size_t count = 1 + rng.below(shape.most_devices);
  const bool tight = shape.limits && rng.chance(0.5);
  const bool many_slots = rng.chance(0.4) && shape.many_slots;
  for (std::size_t d = 0; d < count; ++d) {
    Device device;
    if (shape.alike_devices && d > 0) {
      device = devices.front();
    } else {
      device.type = rng.chance(0.7) ? "gpu" : "cpu";
      device.memory_bytes = tight ? static_cast<std::int64_t>(rng.below(40)) : 1'000'000;
      device.slots = many_slots ? static_cast<std::int64_t>(1 + rng.below(3)) : 1;
    }
    device.name = fmt::format("d{}", d);
    devices.push_back(device);
  }
  return devices;
}

Link random_link(Rng& rng, bool may_name_channels) {
  Link link;
  link.bytes_per_second = static_cast<double>(std::size_t{1} << rng.below(3));
  if (rng.chance(0.3)) link.latency_seconds = rng.chance(0.5) ? 1 : 0.25;
  if (!may_name_channels || !rng.chance(0.4)) return link;
  for (const char* name : {"pcie", "nic", "bus"}) {
    if (rng.chance(0.5)) link.channels.emplace_back(name);
  }
  return link;
}

/// One link for all pairs, and others for some.
std::vector<Link> random_links(Rng& rng, const RandomProblem& shape,
                               const std::vector<Device>& devices) {
  const bool may_name_channels = !shape.alike_devices && rng.chance(0.4);
  std::vector<Link> links = {random_link(rng, may_name_channels)};
  links.front().from = links.front().to = "*";
  if (shape.alike_devices || rng.chance(0.4)) return links;
  for (const Device& from : devices) {
    for (const Device& to : devices) {
      if (from.name == to.name || !rng.chance(0.4)) continue;
      links.push_back(random_link(rng, may_name_channels));
      links.back().from = from.name;
      links.back().to = to.name;
    }
  }
  return links;
}

/// Empty (anywhere), one type, or some names; the same for all ops of a group.
std::vector<std::string> random_allowed(Rng& rng, const std::vector<Device>& devices) {
  if (rng.chance(0.7)) return {};
  if (rng.chance(0.3)) return {devices[rng.below(devices.size())].type};
  std::vector<std::string> names;
  for (const Device& device : devices) {
    if (rng.chance(0.5)) names.push_back(device.name);
  }
  return names;
}

std::vector<Op> random_ops(Rng& rng, const RandomProblem& shape, const Times& times,
                           const std::vector<Device>& devices) {
  const std::size_t count = 1 + rng.below(shape.most_ops);
  const bool grouped = shape.colocation && rng.chance(0.4);
  const bool barred = shape.limits && rng.chance(0.4);
  std::vector<std::vector<std::string>> allowed_of_group;
  for (int g = 0; g < 5; ++g) {
    allowed_of_group.push_back(barred ? random_allowed(rng, devices) : std::vector<std::string>());
  }
  std::vector<Op> ops;
  for (std::size_t i = 0; i < count; ++i) {
    Op op;
    op.name = fmt::format("op{}", i);
    op.seconds = {{"gpu", times.draw(rng)}, {"cpu", times.draw(rng)}};
    if (!shape.alike_devices && rng.chance(0.3)) {
      const double seconds = times.draw(rng);
      op.seconds.emplace_back(devices[rng.below(devices.size())].name, seconds);
    }
    if (rng.chance(0.3)) op.params_bytes = static_cast<std::int64_t>(rng.below(6));
    if (rng.chance(0.3)) op.temp_bytes = static_cast<std::int64_t>(rng.below(6));
    if (grouped && rng.chance(0.5)) {
      const std::size_t group = rng.below(allowed_of_group.size());
      op.group = fmt::format("g{}", group);
      op.devices = allowed_of_group[group];
    } else if (barred) {
      op.devices = random_allowed(rng, devices);
    }
    ops.push_back(op);
  }
  return ops;
}

/// `order`: the ops as a topological order, so that ids and dependencies disagree.
Tensor random_tensor(Rng& rng, const Times& times, const std::vector<OpId>& order,
                     std::size_t producer, double zero_bytes_share) {
  Tensor made;
  made.producer = order[producer];
  const std::size_t later = order.size() - producer - 1;
  for (std::size_t consumers = later > 0 ? rng.below(5) : 0; consumers > 0; --consumers) {
    const std::size_t reach = rng.chance(0.5) ? std::min<std::size_t>(later, 4) : later;
    made.consumers.push_back(order[producer + 1 + rng.below(reach)]);
  }
  if (!rng.chance(zero_bytes_share)) made.bytes = static_cast<std::int64_t>(1 + rng.below(4));
  made.keep = rng.chance(0.1);
  if (rng.chance(0.1)) made.transfer_seconds = times.draw(rng);
  return made;
}

std::vector<Tensor> random_tensors(Rng& rng, const Times& times, std::size_t op_count) {
  std::vector<OpId> order;
  for (const OpId op : IdRange<OpId>(op_count)) order.push_back(op);
  if (rng.chance(0.6)) rng.shuffle(std::span(order));
  const std::size_t most_outputs = rng.chance(0.3) ? 4 : 2;
  const double zero_bytes_share = rng.chance(0.3) ? 0.6 : 0.15;
  std::vector<Tensor> tensors;
  for (std::size_t at = 0; at < op_count; ++at) {
    for (std::size_t left = rng.below(most_outputs + 1); left > 0; --left) {
      tensors.push_back(random_tensor(rng, times, order, at, zero_bytes_share));
    }
  }
  rng.shuffle(std::span(tensors));
  return tensors;
}

}  // namespace

Problem random_problem(Rng& rng, const RandomProblem& shape) {
  const std::array<double, 3> zero_shares = {0, 0.2, 0.6};
  const Times times{shape.real_times && rng.chance(0.125),
                    zero_shares[shape.zero_times ? rng.below(zero_shares.size()) : 0]};
  const std::vector<Device> devices = random_devices(rng, shape);
  const std::vector<Link> links = random_links(rng, shape, devices);
  const auto contention =
      shape.contention.value_or(static_cast<Contention>(rng.below(kNames<Contention>.size())));
  const std::vector<Op> ops = random_ops(rng, shape, times, devices);
  return Problem(graph_of(ops, random_tensors(rng, times, ops.size())),
                 Topology(devices, links, contention));
}

Problem random_training_step(Rng& rng, Contention contention) {
  const RandomProblem shape = {.most_devices = 3};
  const Times times{rng.chance(0.125), 0.2};
  const std::size_t layers = 2 + rng.below(3);
  const auto bytes = [&](std::size_t most) { return static_cast<std::int64_t>(rng.below(most)); };
  std::vector<Op> ops;
  std::vector<Tensor> tensors;
  for (std::size_t op = 0; op < 2 * layers; ++op) {
    const std::size_t layer = std::min(op, 2 * layers - 1 - op);
    ops.push_back(timed_op(fmt::format("op{}", op), 0));
    ops.back().seconds = {{"gpu", times.draw(rng)}, {"cpu", 3 * times.draw(rng)}};
    ops.back().params_bytes = bytes(6);
    ops.back().temp_bytes = bytes(4);
    if (rng.chance(0.9)) ops.back().group = fmt::format("layer{}", layer);
    if (op + 1 == 2 * layers) break;
    std::set<std::size_t> readers = {op + 1};
    for (const std::size_t reader : {op + 2, 2 * layers - 1 - op, 2 * layers - 2 - op}) {
      if (reader > op && reader < 2 * layers && rng.chance(0.5)) readers.insert(reader);
    }
    tensors.push_back(tensor(op, {readers.begin(), readers.end()}, bytes(12)));
    tensors.back().keep = rng.chance(0.1);
  }
  std::int64_t all_bytes = 0;
  for (const Op& op : ops) all_bytes += op.params_bytes;
  for (const Tensor& tensor : tensors) all_bytes += tensor.bytes;
  std::vector<Device> devices = random_devices(rng, shape);
  for (Device& device : devices) {
    const double share = (0.3 + rng.uniform()) / static_cast<double>(devices.size());
    device.memory_bytes = static_cast<std::int64_t>(share * static_cast<double>(all_bytes));
  }
  const std::vector<Link> links = random_links(rng, shape, devices);
  return Problem(graph_of(std::move(ops), std::move(tensors)),
                 Topology(std::move(devices), links, contention));
}

Placement random_placement(const Problem& problem, Rng& rng) {
  Placement placement;
  const bool two_only = rng.chance(0.3);
  for (const GroupId group : IdRange<GroupId>(problem.groups().size())) {
    const std::span<const DeviceId> allowed = problem.groups().allowed(group);
    const std::size_t choices =
        two_only ? std::min<std::size_t>(2, allowed.size()) : allowed.size();
    placement.devices.push_back(allowed[rng.below(choices)]);
  }
  return placement;
}

Sequences random_sequences(const Problem& problem, const Placement& placement, Rng& rng) {
  const Graph& graph = problem.graph();
  std::vector<std::size_t> missing(graph.ops().size());
  std::vector<OpId> ready;
  for (const OpId op : IdRange<OpId>(graph.ops().size())) {
    missing[op.index()] = graph.inputs(op).size();
    if (missing[op.index()] == 0) ready.push_back(op);
  }
  Sequences sequences(problem.device_count());
  while (!ready.empty()) {
    std::swap(ready[rng.below(ready.size())], ready.back());
    const OpId op = ready.back();
    ready.pop_back();
    sequences[placement[problem.groups().of(op)].index()].push_back(op);
    for (const TensorId output : graph.outputs(op)) {
      for (const OpId consumer : graph.tensor(output).consumers) {
        if (--missing[consumer.index()] == 0) ready.push_back(consumer);
      }
    }
  }
  std::vector<OpId>& swapped = sequences[rng.below(sequences.size())];
  if (swapped.size() >= 2 && rng.chance(0.25)) {
    std::swap(swapped[rng.below(swapped.size())], swapped[rng.below(swapped.size())]);
  }
  return sequences;
}

}  // namespace placer::testing

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
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

namespace {

/// Layers whose ops, forward and backward, are a group nearly always, each perhaps with an op for
/// the gradient of its parameters and one that applies it.
class TrainingStep {
 public:
  explicit TrainingStep(Rng& rng) : rng_(rng), times_{rng.chance(0.125), 0.2} {
    for (std::size_t op = 0; op < 2 * layers_; ++op) add_op(std::min(op, 2 * layers_ - 1 - op));
    for (std::size_t op = 0; op + 1 < 2 * layers_; ++op) {
      readers_.push_back({op + 1});
      for (const std::size_t reader : {op + 2, 2 * layers_ - 1 - op, 2 * layers_ - 2 - op}) {
        if (reader > op && reader < 2 * layers_ && rng.chance(0.5)) readers_[op].insert(reader);
      }
    }
    for (std::size_t layer = 1; layer < layers_; ++layer) {
      if (rng.chance(0.6)) add_gradient(layer);
    }
  }

  Graph graph() {
    std::vector<std::size_t> place(ops_.size());  // by op
    std::iota(place.begin(), place.end(), 0);
    if (rng_.chance(0.5)) rng_.shuffle(std::span(place));
    std::vector<Op> ops(ops_.size());
    for (std::size_t op = 0; op < ops.size(); ++op) ops[place[op]] = ops_[op];
    std::vector<Tensor> tensors;
    for (std::size_t op = 0; op < readers_.size(); ++op) {
      if (readers_[op].empty()) continue;
      std::vector<std::size_t> readers;
      for (const std::size_t reader : readers_[op]) readers.push_back(place[reader]);
      tensors.push_back(testing::tensor(place[op], readers, bytes(12)));
      tensors.back().keep = rng_.chance(0.1);
    }
    return graph_of(std::move(ops), std::move(tensors));
  }

 private:
  std::int64_t bytes(std::size_t most) { return static_cast<std::int64_t>(rng_.below(most)); }

  std::size_t add_op(std::size_t layer) {
    Op& op = ops_.emplace_back(timed_op(fmt::format("op{}", ops_.size()), 0));
    const double gpu = times_.draw(rng_), cpu = 3 * times_.draw(rng_);
    op.seconds = {{"gpu", gpu}, {"cpu", cpu}};
    op.params_bytes = bytes(6);
    op.temp_bytes = bytes(4);
    if (rng_.chance(0.9)) op.group = fmt::format("layer{}", layer);
    return ops_.size() - 1;
  }

  /// It reads what the layer's backward op reads.
  void add_gradient(std::size_t layer) {
    const std::size_t gradient = add_op(layer);
    readers_[2 * layers_ - 2 - layer].insert(gradient);
    if (rng_.chance(0.7)) readers_[layer - 1].insert(gradient);
    readers_.resize(gradient + 1);
    if (rng_.chance(0.5)) readers_[gradient].insert(add_op(layer));
  }

  Rng& rng_;
  const Times times_;
  const std::size_t layers_ = 2 + rng_.below(3);
  std::vector<Op> ops_;
  std::vector<std::set<std::size_t>> readers_;  // by op
};

}  // namespace

Problem random_training_step(Rng& rng, Contention contention) {
  const RandomProblem shape = {.most_devices = 3};
  Graph graph = TrainingStep(rng).graph();
  std::int64_t all_bytes = 0;
  for (const Op& op : graph.ops()) all_bytes += op.params_bytes;
  for (const Tensor& tensor : graph.tensors()) all_bytes += tensor.bytes;
  std::vector<Device> devices = random_devices(rng, shape);
  for (Device& device : devices) {
    const double share = (0.3 + 2 * rng.uniform()) / static_cast<double>(devices.size());
    device.memory_bytes = static_cast<std::int64_t>(share * static_cast<double>(all_bytes));
  }
  const std::vector<Link> links = random_links(rng, shape, devices);
  return Problem(std::move(graph), Topology(std::move(devices), links, contention));
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

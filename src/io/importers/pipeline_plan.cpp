#include "io/importers/pipeline_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "placer/base/errors.hpp"

namespace placer {
namespace {

constexpr double kMegabyte = 1e6, kGigabyte = 1e9;
constexpr double kBytesPerSecond = 1e9;  // never used: every message has its time

class StepWriter {
 public:
  explicit StepWriter(const PipelinePlan& plan) : plan_(plan), stages_(plan.stages.size()) {
    add_up();
  }
  PlannedStep write() &&;

 private:
  /// A stage's layers, as its slowest and fullest replicas have them.
  struct Sums {
    double forward_seconds = 0, backward_seconds = 0, update_seconds = 0;
    std::int64_t held_bytes = 0, gradient_bytes = 0, activation_bytes = 0, output_bytes = 0;
    std::int64_t memory_bytes = 0;
  };
  void add_up();
  static Sums sums_of(const PlanUnit& unit, std::size_t first, std::size_t layers);

  const PlanUnit& unit(std::size_t stage, std::size_t replica) const {
    return plan_.units[plan_.stages[stage].replicas[replica]];
  }
  std::size_t replicas(std::size_t stage) const { return plan_.stages[stage].replicas.size(); }
  double network_seconds(const PlanUnit& from, const PlanUnit& to, double bytes) const;
  double message_seconds(std::size_t from, std::size_t to) const;
  double ring_seconds(std::size_t stage) const;

  OpId op(const std::string& name, const std::string& type, std::size_t stage, double seconds,
          bool backward);
  Tensor& tensor(OpId producer, OpId consumer, std::int64_t bytes);
  void send(OpId from, OpId to, std::size_t sender, std::size_t receiver);
  OpId received(OpId from, std::size_t sender, std::size_t receiver, bool backward);
  void write_end(std::size_t stage, OpId backward);
  Topology topology() const;

  const PipelinePlan& plan_;
  std::vector<Sums> stages_;
  std::vector<Op> ops_;
  std::vector<Tensor> tensors_;
  std::vector<DeviceId> device_of_;
};

StepWriter::Sums StepWriter::sums_of(const PlanUnit& unit, std::size_t first, std::size_t layers) {
  Sums sums;
  sums.memory_bytes = unit.memory_bytes;
  sums.held_bytes = unit.fixed_bytes;
  sums.update_seconds = unit.update_seconds;
  for (std::size_t at = first; at < first + layers; ++at) {
    const UnitLayer& layer = unit.layers[at];
    sums.forward_seconds += layer.forward_seconds;
    sums.backward_seconds += layer.backward_seconds;
    sums.update_seconds += layer.update_seconds;
    sums.held_bytes += layer.held_bytes;
    sums.gradient_bytes += layer.gradient_bytes;
    sums.activation_bytes += layer.activation_bytes;
    sums.output_bytes = layer.output_bytes;
  }
  return sums;
}

void StepWriter::add_up() {
  std::size_t first = 0;
  for (std::size_t stage = 0; stage < stages_.size(); ++stage) {
    Sums& sums = stages_[stage];
    for (std::size_t replica = 0; replica < replicas(stage); ++replica) {
      const Sums own = sums_of(unit(stage, replica), first, plan_.stages[stage].layers);
      // The slowest replica sets the pace with both of its times.
      if (own.forward_seconds + own.backward_seconds >=
          sums.forward_seconds + sums.backward_seconds) {
        sums.forward_seconds = own.forward_seconds;
        sums.backward_seconds = own.backward_seconds;
      }
      sums.update_seconds = std::max(sums.update_seconds, own.update_seconds);
      sums.held_bytes = std::max(sums.held_bytes, own.held_bytes);
      sums.gradient_bytes = std::max(sums.gradient_bytes, own.gradient_bytes);
      sums.activation_bytes = std::max(sums.activation_bytes, own.activation_bytes);
      sums.output_bytes = std::max(sums.output_bytes, own.output_bytes);
      sums.memory_bytes =
          replica == 0 ? own.memory_bytes : std::min(sums.memory_bytes, own.memory_bytes);
    }
    first += plan_.stages[stage].layers;
  }
}

double StepWriter::network_seconds(const PlanUnit& from, const PlanUnit& to, double bytes) const {
  const auto joins = [&](const MessageSpeed& speed) {
    return speed.from == from.name && speed.to == to.name;
  };
  const auto at = std::ranges::find_if(plan_.network, joins);
  if (at == plan_.network.end()) {
    throw Error(
        fmt::format("network: expected a speed from '{}' to '{}', found none", from.name, to.name));
  }
  if (bytes == 0) return 0;
  const double size = std::log2(std::max(bytes / kMegabyte, 1.0));
  const double speed =
      std::min(at->most_bytes_per_second, (at->a * size * size + at->b * size + at->c) * kGigabyte);
  if (!(speed > 0)) {
    throw Error(fmt::format(
        "network[{}].curve: expected a positive speed for messages of {:.0f} bytes, found {}",
        at - plan_.network.begin(), bytes, speed));
  }
  return bytes / speed;
}

double StepWriter::message_seconds(std::size_t from, std::size_t to) const {
  const auto bytes = static_cast<double>(stages_[std::min(from, to)].output_bytes);
  double slowest = 0;
  for (std::size_t i = 0; i < replicas(from); ++i) {
    slowest = std::max(slowest, network_seconds(unit(from, i), unit(to, i), bytes));
  }
  const double staging = plan_.staging_bytes_per_second;
  return slowest + (staging > 0 ? bytes / staging : 0);
}

double StepWriter::ring_seconds(std::size_t stage) const {
  const std::size_t count = replicas(stage);
  double slowest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const PlanUnit& from = unit(stage, i);
    const double bytes =
        static_cast<double>(stages_[stage].gradient_bytes) * static_cast<double>(from.gpus);
    slowest = std::max(slowest, network_seconds(from, unit(stage, (i + 1) % count),
                                                bytes / static_cast<double>(count)));
  }
  return 2 * static_cast<double>(count - 1) * slowest;
}

OpId StepWriter::op(const std::string& name, const std::string& type, std::size_t stage,
                    double seconds, bool backward) {
  const std::string device = fmt::format("stage{}", stage);
  Op& op = ops_.emplace_back();
  op.name = device + name;
  op.type = type;
  op.seconds = {{device, seconds}};
  op.devices = {device};
  op.backward = backward;
  device_of_.emplace_back(stage);
  return OpId(ops_.size() - 1);
}

Tensor& StepWriter::tensor(OpId producer, OpId consumer, std::int64_t bytes) {
  Tensor& tensor = tensors_.emplace_back();
  tensor.name = fmt::format("{}:{}", ops_[producer.index()].name, ops_[consumer.index()].name);
  tensor.producer = producer;
  tensor.consumers = {consumer};
  tensor.bytes = bytes;
  return tensor;
}

/// The op that waits for `from` on the receiver, where sends block; else `from` itself.
OpId StepWriter::received(OpId from, std::size_t sender, std::size_t receiver, bool backward) {
  if (!plan_.blocking_sends) return from;
  const std::string suffix = backward ? "_backward" : "";
  const double seconds = message_seconds(sender, receiver);
  tensor(from, op("_send" + suffix, "send", sender, seconds, backward), 0);
  const OpId receive = op("_receive" + suffix, "receive", receiver, seconds, backward);
  tensor(from, receive, 0);
  return receive;
}

void StepWriter::send(OpId from, OpId to, std::size_t sender, std::size_t receiver) {
  if (plan_.blocking_sends) {
    tensor(from, to, 0);
    return;
  }
  tensor(from, to, stages_[std::min(sender, receiver)].output_bytes).transfer_seconds =
      message_seconds(sender, receiver);
}

void StepWriter::write_end(std::size_t stage, OpId backward) {
  OpId last = backward;
  if (replicas(stage) > 1) {
    last = op("_reduce", "all_reduce", stage, ring_seconds(stage), true);
    tensor(backward, last, 0);
  }
  const OpId update = op("_update", "update", stage, stages_[stage].update_seconds, true);
  tensor(last, update, 0);
}

Topology StepWriter::topology() const {
  std::vector<Device> devices;
  for (const Sums& sums : stages_) {
    Device& device = devices.emplace_back();
    device.name = fmt::format("stage{}", devices.size() - 1);
    device.type = "stage";
    device.memory_bytes = sums.memory_bytes;
  }
  std::vector<Link> links;
  if (devices.size() > 1) links.push_back({"*", "*", kBytesPerSecond, 0, {}});
  return Topology(std::move(devices), std::move(links));
}

PlannedStep StepWriter::write() && {
  std::vector<OpId> forward;
  for (std::size_t stage = 0; stage < stages_.size(); ++stage) {
    const OpId input = stage > 0 ? received(forward.back(), stage - 1, stage, false) : OpId();
    forward.push_back(op("", "forward", stage, stages_[stage].forward_seconds, false));
    ops_.back().params_bytes = stages_[stage].held_bytes;
    if (stage > 0) send(input, forward.back(), stage - 1, stage);
  }
  OpId later;
  for (std::size_t stage = stages_.size(); stage-- > 0;) {
    const bool is_last = stage + 1 == stages_.size();
    const OpId input = is_last ? OpId() : received(later, stage + 1, stage, true);
    const OpId own = op("_backward", "backward", stage, stages_[stage].backward_seconds, true);
    if (!is_last) send(input, own, stage + 1, stage);
    tensor(forward[stage], own, stages_[stage].activation_bytes);
    write_end(stage, own);
    later = own;
  }
  const auto replicas = static_cast<std::int64_t>(plan_.stages.front().replicas.size());
  const std::int64_t samples = plan_.micro_batch * replicas;
  return {Graph(plan_.name, std::move(ops_), std::move(tensors_)), topology(),
          std::move(device_of_), (plan_.global_batch + samples - 1) / samples};
}

}  // namespace

PlannedStep planned_step(const PipelinePlan& plan) { return StepWriter(plan).write(); }

}  // namespace placer

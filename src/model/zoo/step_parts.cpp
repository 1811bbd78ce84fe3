#include "model/zoo/step_parts.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace placer {
namespace {

constexpr const char* suffix_of(Phase phase) {
  if (phase == Phase::kForward) return "";
  return phase == Phase::kBackward ? "_backward" : "_update";
}

class Merger {
 public:
  explicit Merger(StepParts parts) : from_(std::move(parts)) {}

  StepParts merge() {
    inside_bytes_.assign(from_.ops.size(), 0);
    for (std::size_t i = 0; i < from_.ops.size(); ++i) place(i);
    for (Tensor& tensor : from_.tensors) move(tensor);
    for (std::size_t i = 0; i < from_.ops.size(); ++i) {
      std::int64_t& temp = into_.ops[merged_[i]].temp_bytes;
      temp = std::max(temp, inside_bytes_[i]);
    }
    return std::move(into_);
  }

 private:
  void place(std::size_t i) {
    Op& op = from_.ops[i];
    const Unit& unit = from_.units[i];
    const auto [at, is_new] = index_.try_emplace({unit.name, unit.phase}, into_.ops.size());
    merged_.push_back(at->second);
    if (is_new) {
      Op first;
      first.name = unit.name + suffix_of(unit.phase);
      first.flops = 0;
      first.bytes = 0;
      first.backward = op.backward;
      into_.append(std::move(first), unit);
      most_flops_.push_back(-1);
    }
    Op& merged = into_.ops[at->second];
    if (*op.flops > most_flops_[at->second]) {
      most_flops_[at->second] = *op.flops;
      merged.type = op.type;
    }
    *merged.flops += *op.flops;
    *merged.bytes += *op.bytes;
    merged.params_bytes += op.params_bytes;
    if (!op.group.empty()) set_group(merged, unit);
    merged.outputs = std::move(op.outputs);
  }

  /// Weights of another unit decide where an op goes.
  static void set_group(Op& merged, const Unit& unit) {
    if (merged.group.empty() || unit.group != unit.name) merged.group = unit.group;
  }

  void move(Tensor& tensor) {
    const std::size_t producer = merged_[tensor.producer.index()];
    std::vector<OpId> outside;
    for (const OpId consumer : tensor.consumers) {
      const std::size_t at = merged_[consumer.index()];
      if (at != producer) outside.emplace_back(at);
    }
    if (outside.empty() && !tensor.consumers.empty() && !tensor.keep) {
      inside_bytes_[tensor.producer.index()] += tensor.bytes;
      for (const OpId consumer : tensor.consumers) inside_bytes_[consumer.index()] += tensor.bytes;
      return;
    }
    tensor.producer = OpId(producer);
    tensor.consumers = std::move(outside);
    into_.tensors.push_back(std::move(tensor));
  }

  StepParts from_, into_;
  std::map<std::pair<std::string, Phase>, std::size_t> index_;
  std::vector<std::size_t> merged_;  // by old op
  std::vector<double> most_flops_;   // by new op
  std::vector<std::int64_t> inside_bytes_;
};

}  // namespace

OpId StepParts::append(Op op, Unit unit) {
  ops.push_back(std::move(op));
  units.push_back(std::move(unit));
  return OpId(ops.size() - 1);
}

TensorId StepParts::produce(OpId producer, std::string name, std::int64_t bytes) {
  Tensor tensor;
  tensor.name = std::move(name);
  tensor.producer = producer;
  tensor.bytes = bytes;
  tensors.push_back(std::move(tensor));
  return TensorId(tensors.size() - 1);
}

StepParts merge_units(StepParts parts) { return Merger(std::move(parts)).merge(); }

}  // namespace placer

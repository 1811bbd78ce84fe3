#pragma once

#include <string>
#include <vector>

#include "placer/model/graph.hpp"

namespace placer {

enum class Phase { kForward, kBackward, kUpdate };

/// Which ops `--ops layer` makes one of.
struct Unit {
  std::string name;
  Phase phase = Phase::kForward;
  std::string group;  // the unit that its weights are in: itself, or another where they are shared
};

/// Ops and tensors on their way to a graph.
struct StepParts {
  std::vector<Op> ops;
  std::vector<Unit> units;  // by op
  std::vector<Tensor> tensors;

  OpId append(Op op, Unit unit);
  TensorId produce(OpId producer, std::string name, std::int64_t bytes);
  void consume(OpId consumer, TensorId tensor) {
    tensors[tensor.index()].consumers.push_back(consumer);
  }
};

/// One op for each unit and phase: its costs are its ops' sums, its type that of the op with the
/// most flops, its `temp_bytes` the most that one of its ops reads and writes of tensors that stay
/// inside.
StepParts merge_units(StepParts parts);

}  // namespace placer

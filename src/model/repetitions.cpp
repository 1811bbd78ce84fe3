#include "model/repetitions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>

namespace placer {
namespace {

constexpr std::size_t kMostPeriod = 4'096;         // ops of one repetition
constexpr std::size_t kMostCompared = 20'000'000;  // pairs of ops, in the search for repetitions

/// What an op is, without its name.
std::size_t kind_of(const Graph& graph, OpId id) {
  const Op& op = graph.op(id);
  std::size_t hash = std::hash<std::string>()(op.type);
  const auto add = [&](std::int64_t number) {
    hash = hash * 0x9e3779b97f4a7c15 + std::hash<std::int64_t>()(number);
  };
  add(op.params_bytes);
  add(static_cast<std::int64_t>(op.flops.value_or(-1)));
  for (const TensorId tensor : graph.outputs(id)) add(graph.tensor(tensor).bytes);
  return hash;
}

struct Repetition {
  std::size_t begin = 0, period = 0, length = 0;  // in ops
  std::size_t count() const { return period == 0 ? 0 : length / period; }
};

/// The sequence of ops that repeats itself over the most ops.
Repetition longest_repetition(const std::vector<std::size_t>& kinds) {
  Repetition best;
  const std::size_t most = std::min(
      {kinds.size() / 2, kMostPeriod, kMostCompared / std::max<std::size_t>(1, kinds.size())});
  for (std::size_t period = 2; period <= most; ++period) {
    std::size_t run = 0;
    for (std::size_t i = 0; i + period < kinds.size(); ++i) {
      run = kinds[i] == kinds[i + period] ? run + 1 : 0;
      if (run < period || run + period <= best.length) continue;
      best = {i + 1 - run, period, run + period};
    }
  }
  return best;
}

/// Bytes that cross from before each position of the program order to it or what follows.
std::vector<std::int64_t> crossing_bytes(const Graph& graph) {
  std::vector<std::int64_t> steps(graph.ops().size() + 1, 0);
  for (const Tensor& tensor : graph.tensors()) {
    std::size_t last = graph.program_position(tensor.producer);
    for (const OpId op : tensor.consumers) last = std::max(last, graph.program_position(op));
    steps[graph.program_position(tensor.producer) + 1] += tensor.bytes;
    if (last + 1 < steps.size()) steps[last + 1] -= tensor.bytes;
  }
  for (std::size_t i = 1; i < steps.size(); ++i) steps[i] += steps[i - 1];
  return steps;
}

}  // namespace

std::vector<std::string> repetitions(const Graph& graph) {
  std::vector<std::string> names(graph.ops().size());
  std::vector<std::size_t> kinds;
  for (const OpId op : graph.program_order()) kinds.push_back(kind_of(graph, op));
  Repetition found = longest_repetition(kinds);
  if (found.length * 2 < kinds.size()) return names;
  const std::vector<std::int64_t> crossing = crossing_bytes(graph);
  std::size_t shift = 0;
  for (std::size_t i = 1; i < found.period; ++i) {
    if (crossing[found.begin + i] < crossing[found.begin + shift]) shift = i;
  }
  found.begin += shift;
  found.length -= shift;
  for (std::size_t i = 0; i < found.count() * found.period; ++i) {
    const OpId op = graph.program_order()[found.begin + i];
    names[op.index()] = fmt::format("repeat.{}", i / found.period);
  }
  return names;
}

}  // namespace placer

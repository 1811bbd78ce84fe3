#include "search/groups/held_while_running.hpp"

#include <algorithm>

namespace placer {
namespace {

constexpr std::size_t kMostOps = 16'384;     // 32 MiB of what leads where
constexpr std::size_t kMostOfGroup = 1'000;  // ops, all of which are compared with all tensors

/// Which ops lead to which, a bit for each pair.
class Ways {
 public:
  explicit Ways(const Graph& graph)
      : words_((graph.ops().size() + 63) / 64), bits_(words_ * graph.ops().size(), 0) {
    for (auto op = graph.program_order().rbegin(); op != graph.program_order().rend(); ++op) {
      std::uint64_t* row = &bits_[op->index() * words_];
      for (const TensorId output : graph.outputs(*op)) {
        for (const OpId reader : graph.tensor(output).consumers) {
          row[reader.index() / 64] |= std::uint64_t{1} << (reader.index() % 64);
          const std::uint64_t* further = &bits_[reader.index() * words_];
          for (std::size_t word = 0; word < words_; ++word) row[word] |= further[word];
        }
      }
    }
  }

  bool lead(OpId from, OpId to) const {
    return (bits_[from.index() * words_ + to.index() / 64] >> (to.index() % 64) & 1) != 0;
  }

 private:
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

/// Whether the device of the ops' group holds the tensor while one of them runs.
bool is_held(const Problem& problem, const Ways& ways, TensorId id, OpId running) {
  const Tensor& tensor = problem.graph().tensor(id);
  const GroupId group = problem.groups().of(running);
  const auto is_here = [&](OpId op) { return problem.groups().of(op) == group; };
  if (tensor.producer == running) return true;
  bool has_come = is_here(tensor.producer) && ways.lead(tensor.producer, running);
  bool stays = has_come && tensor.keep;
  for (const OpId reader : tensor.consumers) {
    if (reader == running) return true;
    if (!is_here(reader)) continue;
    has_come = has_come || ways.lead(reader, running);
    stays = stays || ways.lead(running, reader);
  }
  return has_come && stays;
}

}  // namespace

std::vector<std::int64_t> held_while_running(const Problem& problem) {
  if (problem.op_count() > kMostOps) return {};
  const Graph& graph = problem.graph();
  const Ways ways(graph);
  std::vector<std::int64_t> held_bytes(problem.op_count(), 0);
  Watch watch(problem.deadline());
  for (const GroupId group : IdRange<GroupId>(problem.groups().size())) {
    const auto ops = problem.groups().ops(group);
    if (ops.size() > kMostOfGroup) continue;
    std::vector<TensorId> tensors;
    for (const OpId op : ops) {
      std::ranges::copy(graph.inputs(op), std::back_inserter(tensors));
      std::ranges::copy(graph.outputs(op), std::back_inserter(tensors));
    }
    std::ranges::sort(tensors);
    tensors.erase(std::unique(tensors.begin(), tensors.end()), tensors.end());
    watch.check(ops.size() * tensors.size());
    for (const OpId running : ops) {
      held_bytes[running.index()] = graph.op(running).temp_bytes;
      for (const TensorId tensor : tensors) {
        if (!is_held(problem, ways, tensor, running)) continue;
        held_bytes[running.index()] += graph.tensor(tensor).bytes;
      }
    }
  }
  return held_bytes;
}

}  // namespace placer

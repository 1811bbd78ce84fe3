#include "search/groups/group_memory.hpp"

#include <algorithm>
#include <optional>

namespace placer {
namespace {

class Measuring {
 public:
  /// Without a device, every op holds what it makes and takes.
  Measuring(const Problem& problem, std::optional<DeviceId> device)
      : problem_(problem),
        device_(device),
        counts_(problem.op_count(), 0),
        memory_(problem.groups().size()),
        temp_bytes_(memory_.size(), 0),
        running_bytes_(memory_.size(), 0) {}

  std::vector<GroupMemory> run() && {
    Watch watch(problem_.deadline());
    for (const OpId op : IdRange<OpId>(problem_.op_count())) {
      watch.check(problem_.graph().inputs(op).size() + 1);
      add_op(op);
    }
    add_touched_tensors();
    for (std::size_t g = 0; g < memory_.size(); ++g) finish(memory_[g], g);
    return std::move(memory_);
  }

 private:
  void add_op(OpId id) {
    const GroupId group = problem_.groups().of(id);
    if (device_ && !problem_.groups().is_allowed(group, *device_)) return;
    const std::size_t g = group.index();
    const Graph& graph = problem_.graph();
    const Op& op = graph.op(id);
    memory_[g].always_bytes += op.params_bytes;
    if (device_ && problem_.costs().op_ps(id, *device_) == 0) return;
    counts_[id.index()] = 1;
    std::int64_t running_bytes = op.temp_bytes;
    if (problem_.goal().objective == Objective::kLatency) {
      for (const TensorId input : graph.inputs(id)) running_bytes += graph.tensor(input).bytes;
    }
    for (const TensorId output : graph.outputs(id)) {
      const Tensor& tensor = graph.tensor(output);
      running_bytes += tensor.bytes;
      memory_[g].made_bytes += tensor.bytes;
      if (tensor.keep) memory_[g].kept_bytes += tensor.bytes;
    }
    temp_bytes_[g] = std::max(temp_bytes_[g], op.temp_bytes);
    running_bytes_[g] = std::max(running_bytes_[g], running_bytes);
  }

  void add_touched_tensors() {
    constexpr std::size_t kNone = static_cast<std::size_t>(-1);
    std::vector<std::size_t> counted(memory_.size(), kNone);  // the last tensor counted, by group
    for (const TensorId id : IdRange<TensorId>(problem_.graph().tensors().size())) {
      const Tensor& tensor = problem_.graph().tensor(id);
      const auto count = [&](OpId op) {
        const std::size_t g = problem_.groups().of(op).index();
        if (counts_[op.index()] == 0 || counted[g] == id.index()) return;
        counted[g] = id.index();
        memory_[g].touched_bytes += tensor.bytes;
      };
      count(tensor.producer);
      for (const OpId consumer : tensor.consumers) count(consumer);
    }
  }

  void finish(GroupMemory& memory, std::size_t g) const {
    memory.kept_bytes += memory.always_bytes;
    memory.at_least_bytes = std::max(memory.kept_bytes, memory.always_bytes + running_bytes_[g]);
    memory.made_bytes += memory.always_bytes;
    memory.at_most_bytes = memory.made_bytes + temp_bytes_[g];
    memory.touched_bytes += memory.always_bytes + temp_bytes_[g];
  }

  const Problem& problem_;
  const std::optional<DeviceId> device_;
  std::vector<char> counts_;  // by op: it holds more than its parameters
  std::vector<GroupMemory> memory_;
  std::vector<std::int64_t> temp_bytes_, running_bytes_;  // by group: the most of any op
};

}  // namespace

std::vector<GroupMemory> group_memory(const Problem& problem) {
  return Measuring(problem, std::nullopt).run();
}

std::vector<GroupMemory> group_memory_on(const Problem& problem, DeviceId device) {
  return Measuring(problem, device).run();
}

bool memory_is_ample(const Problem& problem) {
  std::int64_t all_bytes = 0;
  for (const Op& op : problem.graph().ops()) all_bytes += op.params_bytes + op.temp_bytes;
  for (const Tensor& tensor : problem.graph().tensors()) all_bytes += tensor.bytes;
  return std::ranges::all_of(problem.topology().devices(), [&](const Device& device) {
    return all_bytes <= device.memory_bytes;
  });
}

std::vector<std::int64_t> bytes_of_groups(
    const Problem& problem, const std::function<std::int64_t(const GroupMemory&)>& figure) {
  std::vector<std::int64_t> bytes;
  for (const GroupMemory& memory : group_memory(problem)) bytes.push_back(figure(memory));
  return bytes;
}

}  // namespace placer

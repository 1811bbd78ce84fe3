#include "search/lists/live_list.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "search/groups/group_memory.hpp"
#include "search/lists/memory_over_time.hpp"

namespace placer {
namespace {

class LiveScheduler {
 public:
  LiveScheduler(const Problem& problem, double limit)
      : problem_(problem),
        kept_bytes_(bytes_of_groups(problem, &GroupMemory::kept_bytes)),
        is_fixed_(problem.groups().size(), 0),
        list_{{std::vector<DeviceId>(problem.groups().size())}, {}, 0},
        ends_(problem.op_count(), 0),
        starts_(problem.op_count(), 0),
        readers_left_(problem.graph().tensors().size()),
        held_until_(problem.graph().tensors().size(), 0),
        copies_(problem.graph().tensors().size()),
        slots_(problem.device_count()),
        watch_(problem.deadline()) {
    for (const Device& device : problem.topology().devices()) {
      memory_.emplace_back(
          static_cast<std::int64_t>(limit * static_cast<double>(device.memory_bytes)));
    }
  }

  LiveList run(std::span<const OpId> ops) && {
    for (const OpId op : ops) place(op);
    list_.order.assign(ops.begin(), ops.end());
    std::ranges::stable_sort(list_.order, {}, [&](OpId op) {
      return std::pair(starts_[op.index()], ends_[op.index()]);
    });
    return std::move(list_);
  }

 private:
  struct Copy {
    DeviceId device;
    Picoseconds until_ps;
  };
  struct Spot {
    DeviceId device;
    Picoseconds start_ps = 0, end_ps = 0;
  };

  void place(OpId op) {
    const GroupId group = problem_.groups().of(op);
    const std::span<const DeviceId> devices = is_fixed_[group.index()]
                                                  ? std::span(&list_.placement[group], 1)
                                                  : problem_.groups().allowed(group);
    std::optional<Spot> best;
    for (const DeviceId device : devices) {
      const std::optional<Spot> found = spot(op, device);
      if (found && (!best || found->end_ps < best->end_ps)) best = found;
    }
    if (!best) {
      best = in_any_case(op, *std::ranges::max_element(devices, {}, [&](DeviceId device) {
                           return memory_[device.index()].last_room();
                         }));
    }
    take(op, *best);
  }

  Copy* copy(TensorId tensor, DeviceId device) {
    for (Copy& found : copies_[tensor.index()]) {
      if (found.device == device) return &found;
    }
    return nullptr;
  }

  OpId producer(TensorId tensor) const { return problem_.graph().tensor(tensor).producer; }
  DeviceId device_of(OpId op) const { return list_.placement[problem_.groups().of(op)]; }

  bool has_unused_slot(DeviceId device) const {
    return std::cmp_less(slots_[device.index()].size(), problem_.topology().device(device).slots);
  }

  Picoseconds idle_ps(DeviceId device) const {
    return has_unused_slot(device) ? 0 : std::ranges::min(slots_[device.index()]);
  }

  Picoseconds ready_ps(OpId op, DeviceId device) const {
    Picoseconds ready_ps = idle_ps(device);
    for (const TensorId tensor : problem_.graph().inputs(op)) {
      const OpId from = producer(tensor);
      ready_ps = std::max(ready_ps, ends_[from.index()] + problem_.costs().transfer_ps(
                                                              tensor, device_of(from), device));
    }
    return ready_ps;
  }

  std::int64_t output_bytes(OpId op) const {
    std::int64_t bytes = 0;
    for (const TensorId tensor : problem_.graph().outputs(op)) {
      if (!problem_.graph().tensor(tensor).keep) bytes += problem_.graph().tensor(tensor).bytes;
    }
    return bytes;
  }

  /// Empty where memory will not do.
  std::optional<Spot> spot(OpId op, DeviceId device) {
    watch_.check(20);
    const Picoseconds ready = ready_ps(op, device);
    const Picoseconds duration_ps = problem_.costs().op_ps(op, device);
    const MemoryOverTime& memory = memory_[device.index()];
    const GroupId group = problem_.groups().of(op);
    std::int64_t always_bytes = 0;
    if (!is_fixed_[group.index()]) {
      always_bytes = kept_bytes_[group.index()];
      if (memory.room() < always_bytes) return std::nullopt;
    }
    Picoseconds first_ps = MemoryOverTime::kEver;
    std::int64_t copied_bytes = 0;
    for (const TensorId tensor : problem_.graph().inputs(op)) {
      const OpId from = producer(tensor);
      if (device_of(from) == device) continue;
      const Copy* known = copy(tensor, device);
      copied_bytes += problem_.graph().tensor(tensor).bytes;
      first_ps = std::min(first_ps, known ? known->until_ps : ends_[from.index()]);
    }
    const std::optional<Picoseconds> start_ps = memory.earliest(
        ready, always_bytes + copied_bytes + output_bytes(op) + problem_.graph().op(op).temp_bytes);
    if (!start_ps) return std::nullopt;
    if (first_ps < *start_ps && memory.room(first_ps, *start_ps) < always_bytes + copied_bytes) {
      return std::nullopt;
    }
    return Spot{device, *start_ps, *start_ps + duration_ps};
  }

  Spot in_any_case(OpId op, DeviceId device) const {
    const Picoseconds ready = ready_ps(op, device);
    return {device, ready, ready + problem_.costs().op_ps(op, device)};
  }

  void take(OpId op, const Spot& spot) {
    const Graph& graph = problem_.graph();
    const GroupId group = problem_.groups().of(op);
    MemoryOverTime& memory = memory_[spot.device.index()];
    if (std::exchange(is_fixed_[group.index()], 1) == 0) {
      list_.placement[group] = spot.device;
      memory.add(kept_bytes_[group.index()], 0);
    }
    starts_[op.index()] = spot.start_ps;
    ends_[op.index()] = spot.end_ps;
    list_.makespan_ps = std::max(list_.makespan_ps, spot.end_ps);
    occupy_slot(spot);
    memory.add(graph.op(op).temp_bytes, spot.start_ps, spot.end_ps);
    for (const TensorId tensor : graph.inputs(op)) read(tensor, spot);
    for (const TensorId output : graph.outputs(op)) {
      const Tensor& tensor = graph.tensor(output);
      readers_left_[output.index()] = tensor.consumers.size();
      held_until_[output.index()] = spot.end_ps;
      if (!tensor.keep) {
        const bool is_read = !tensor.consumers.empty();
        memory.add(tensor.bytes, spot.start_ps, is_read ? MemoryOverTime::kEver : spot.end_ps);
      }
    }
  }

  void occupy_slot(const Spot& spot) {
    std::vector<Picoseconds>& slots = slots_[spot.device.index()];
    if (has_unused_slot(spot.device)) {
      slots.push_back(spot.end_ps);
    } else {
      *std::ranges::min_element(slots) = spot.end_ps;
    }
  }

  void read(TensorId tensor, const Spot& spot) {
    const OpId from = producer(tensor);
    const DeviceId home = device_of(from);
    const std::int64_t bytes = problem_.graph().tensor(tensor).bytes;
    Picoseconds& until_ps = held_until_[tensor.index()];
    if (home == spot.device) {
      until_ps = std::max(until_ps, spot.end_ps);
    } else {
      Copy* known = copy(tensor, spot.device);
      if (known == nullptr) {
        copies_[tensor.index()].push_back({spot.device, ends_[from.index()]});
        known = &copies_[tensor.index()].back();
        until_ps = std::max(until_ps, ends_[from.index()] +
                                          problem_.costs().transfer_ps(tensor, home, spot.device));
      }
      memory_[spot.device.index()].add(bytes, known->until_ps, spot.end_ps);
      known->until_ps = std::max(known->until_ps, spot.end_ps);
    }
    if (--readers_left_[tensor.index()] == 0 && !problem_.graph().tensor(tensor).keep) {
      memory_[home.index()].add(-bytes, until_ps);
    }
  }

  const Problem& problem_;
  const std::vector<std::int64_t> kept_bytes_;  // by group
  std::vector<MemoryOverTime> memory_;          // by device
  std::vector<char> is_fixed_;                  // by group
  LiveList list_;
  std::vector<Picoseconds> ends_, starts_;       // by op
  std::vector<std::size_t> readers_left_;        // by tensor
  std::vector<Picoseconds> held_until_;          // by tensor, at home
  std::vector<std::vector<Copy>> copies_;        // by tensor
  std::vector<std::vector<Picoseconds>> slots_;  // by device: until when those ever used are busy
  Watch watch_;
};

}  // namespace

LiveList live_list(const Problem& problem, std::span<const OpId> ops, double limit) {
  return LiveScheduler(problem, limit).run(ops);
}

}  // namespace placer

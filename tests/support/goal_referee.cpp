#include "support/goal_referee.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace placer::testing {
namespace {

class GoalReferee {
 public:
  GoalReferee(const Problem& problem, const Placement& placement)
      : problem_(problem), graph_(problem.graph()), placement_(placement) {}

  Score score() const {
    Score score{overflow_bytes(), 0, 0};
    if (problem_.goal().objective == Objective::kThroughput) {
      for (std::size_t d = 0; d < problem_.device_count(); ++d) {
        score.step_ps = std::max(score.step_ps, load_ps(DeviceId(d)));
      }
    } else {
      count_calls(score);
    }
    score.astray_ops += astray_ops();
    return score;
  }

 private:
  DeviceId at(OpId op) const { return placement_[problem_.groups().of(op)]; }
  const Device& device(DeviceId id) const { return problem_.topology().device(id); }
  IdRange<OpId> ops() const { return IdRange<OpId>(problem_.op_count()); }
  IdRange<TensorId> tensors() const { return IdRange<TensorId>(graph_.tensors().size()); }

  /// The devices besides its own that need the tensor.
  std::set<DeviceId> receivers(TensorId id) const {
    std::set<DeviceId> devices;
    const Tensor& tensor = graph_.tensor(id);
    if (tensor.bytes == 0) return devices;
    for (const OpId consumer : tensor.consumers) devices.insert(at(consumer));
    devices.erase(at(tensor.producer));
    return devices;
  }

  Picoseconds work_ps(DeviceId id) const {
    Picoseconds sum_ps = 0;
    for (const OpId op : ops()) sum_ps += at(op) == id ? problem_.costs().op_ps(op, id) : 0;
    return sum_ps;
  }

  Picoseconds sent_ps(DeviceId id) const {
    Picoseconds sum_ps = 0;
    for (const TensorId tensor : tensors()) {
      if (at(graph_.tensor(tensor).producer) != id) continue;
      Picoseconds slowest_ps = 0;
      for (const DeviceId to : receivers(tensor)) {
        slowest_ps = std::max(slowest_ps, problem_.costs().transfer_ps(tensor, id, to));
      }
      sum_ps += slowest_ps;
    }
    return sum_ps;
  }

  Picoseconds received_ps(DeviceId id) const {
    Picoseconds sum_ps = 0;
    for (const TensorId tensor : tensors()) {
      const DeviceId from = at(graph_.tensor(tensor).producer);
      if (receivers(tensor).contains(id)) sum_ps += problem_.costs().transfer_ps(tensor, from, id);
    }
    return sum_ps;
  }

  Picoseconds load_ps(DeviceId id) const {
    const Picoseconds ops_ps = (work_ps(id) + device(id).slots - 1) / device(id).slots;
    if (device(id).host) return ops_ps;
    const Picoseconds out_ps = sent_ps(id), in_ps = received_ps(id);
    if (problem_.topology().transfers() == Transfers::kSerial) return ops_ps + out_ps + in_ps;
    const bool is_one_wire = problem_.topology().contention() == Contention::kHalfDuplex;
    return std::max(ops_ps, is_one_wire ? out_ps + in_ps : std::max(out_ps, in_ps));
  }

  bool waits_for_backward(TensorId id) const {
    const Tensor& tensor = graph_.tensor(id);
    return !graph_.op(tensor.producer).backward &&
           std::ranges::any_of(tensor.consumers,
                               [&](OpId consumer) { return graph_.op(consumer).backward; });
  }

  std::int64_t overflow_bytes() const {
    std::int64_t overflow = 0;
    for (std::size_t d = 0; d < problem_.device_count(); ++d) {
      const DeviceId id(d);
      std::int64_t held = 0, largest_need = 0;
      for (const OpId op : ops()) {
        if (at(op) != id) continue;
        std::int64_t need = graph_.op(op).temp_bytes;
        held += graph_.op(op).params_bytes;
        for (const TensorId tensor : graph_.outputs(op)) {
          const bool stays = graph_.tensor(tensor).keep || waits_for_backward(tensor);
          if (stays || !receivers(tensor).empty()) held += graph_.tensor(tensor).bytes;
          if (!stays) need += graph_.tensor(tensor).bytes;
        }
        largest_need = std::max(largest_need, need);
      }
      for (const TensorId tensor : tensors()) {
        if (receivers(tensor).contains(id)) held += graph_.tensor(tensor).bytes;
      }
      overflow += std::max<std::int64_t>(0, held + largest_need - device(id).memory_bytes);
    }
    return overflow;
  }

  /// Rounds over all ops until nothing more can end; a call ends when all its inputs have.
  void count_calls(Score& score) const {
    std::map<OpId, Picoseconds> end_ps;
    const auto inputs_end = [&](OpId op, bool others_only) -> std::optional<Picoseconds> {
      Picoseconds last_ps = 0;
      for (const TensorId input : graph_.inputs(op)) {
        const OpId producer = graph_.tensor(input).producer;
        if (others_only && at(producer) == at(op)) continue;
        const auto end = end_ps.find(producer);
        if (end == end_ps.end()) return std::nullopt;
        last_ps = std::max(last_ps, end->second);
      }
      return last_ps;
    };
    for (bool has_changed = true; has_changed;) {
      has_changed = false;
      for (const OpId first : ops()) {
        if (end_ps.contains(first)) continue;
        const bool is_host = device(at(first)).host;
        std::vector<OpId> call;
        for (const OpId op : ops()) {
          if (is_host ? op == first : at(op) == at(first)) call.push_back(op);
        }
        std::optional<Picoseconds> start_ps = 0;
        for (const OpId op : call) {
          const auto ends = inputs_end(op, !is_host);
          start_ps = start_ps && ends ? std::optional(std::max(*start_ps, *ends)) : std::nullopt;
        }
        if (!start_ps) continue;
        has_changed = true;
        const DeviceId id = at(first);
        const Picoseconds time_ps = is_host ? problem_.costs().op_ps(first, id)
                                            : work_ps(id) + sent_ps(id) + received_ps(id);
        for (const OpId op : call) end_ps[op] = *start_ps + time_ps;
        score.step_ps = std::max(score.step_ps, *start_ps + time_ps);
      }
    }
    score.astray_ops = static_cast<std::int64_t>(problem_.op_count() - end_ps.size());
    if (score.astray_ops > 0) score.step_ps = all_one_by_one_ps();
  }

  Picoseconds all_one_by_one_ps() const {
    Picoseconds sum_ps = 0;
    for (std::size_t d = 0; d < problem_.device_count(); ++d) {
      const DeviceId id(d);
      sum_ps += work_ps(id);
      if (!device(id).host) sum_ps += sent_ps(id) + received_ps(id);
    }
    return sum_ps;
  }

  /// By forward op, the forward ops that it reads.
  std::vector<OpId> reads(OpId op) const {
    std::vector<OpId> producers;
    for (const TensorId input : graph_.inputs(op)) {
      const OpId producer = graph_.tensor(input).producer;
      if (!graph_.op(op).backward && !graph_.op(producer).backward) producers.push_back(producer);
    }
    return producers;
  }

  /// Whether a path to `op` has been on `id`, and on another device after that.
  bool has_left(OpId op, DeviceId id, bool is_away) const {
    for (const OpId producer : reads(op)) {
      if (is_away && at(producer) == id) return true;
      if (has_left(producer, id, is_away || at(producer) != id)) return true;
    }
    return false;
  }

  bool leads(DeviceId from, DeviceId to, std::set<DeviceId>& seen) const {
    if (from == to) return true;
    if (!seen.insert(from).second) return false;
    for (const OpId op : ops()) {
      for (const OpId producer : reads(op)) {
        if (at(producer) == from && at(op) != from && leads(at(op), to, seen)) return true;
      }
    }
    return false;
  }

  std::int64_t astray_ops() const {
    const Goal& goal = problem_.goal();
    const auto place = [&](DeviceId id) { return std::ranges::find(goal.stages, id); };
    const auto is_astray = [&](OpId op) {
      if (goal.contiguity == Contiguity::kContiguous) return has_left(op, at(op), false);
      if (goal.contiguity == Contiguity::kNone) return false;
      return std::ranges::any_of(reads(op), [&](OpId producer) {
        if (at(producer) == at(op)) return false;
        std::set<DeviceId> seen;
        return goal.stages.empty() ? leads(at(op), at(producer), seen)
                                   : place(at(producer)) > place(at(op));
      });
    };
    std::int64_t astray = 0;
    for (const OpId op : ops()) astray += is_astray(op) ? 1 : 0;
    return astray;
  }

  const Problem& problem_;
  const Graph& graph_;
  const Placement& placement_;
};

}  // namespace

Score goal_referee(const Problem& problem, const Placement& placement) {
  return GoalReferee(problem, placement).score();
}

}  // namespace placer::testing

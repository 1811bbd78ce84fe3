#include "search/bounds/memory_cut.hpp"

#include <algorithm>
#include <optional>

namespace placer {
namespace {

constexpr std::size_t kMostRunSteps = 200'000'000;  // of runs over ops; about a second

/// The path whose ops' shares of what their groups hold are most together.
std::vector<OpId> fullest_path(const Problem& problem, const MemoryFit& fit) {
  const Graph& graph = problem.graph();
  std::vector<double> most(problem.op_count(), 0);
  std::vector<OpId> before(problem.op_count(), OpId(0));
  OpId last = graph.program_order().front();
  for (const OpId op : graph.program_order()) {
    before[op.index()] = op;
    for (const TensorId input : graph.inputs(op)) {
      const OpId producer = graph.tensor(input).producer;
      if (before[op.index()] != op && most[producer.index()] <= most[before[op.index()].index()])
        continue;
      before[op.index()] = producer;
    }
    const GroupId group = problem.groups().of(op);
    const auto ops = static_cast<double>(problem.groups().ops(group).size());
    const auto bytes = fit.memory(group, fit.devices(group).front()).kept_bytes;
    most[op.index()] = (static_cast<double>(bytes) + 1) / ops;
    if (before[op.index()] != op) most[op.index()] += most[before[op.index()].index()];
    if (most[op.index()] > most[last.index()]) last = op;
  }
  std::vector<OpId> path = {last};
  while (before[path.back().index()] != path.back()) path.push_back(before[path.back().index()]);
  std::ranges::reverse(path);
  return path;
}

class Runs {
 public:
  Runs(const Problem& problem, const MemoryFit& fit, const HeadsAndTails& times)
      : problem_(problem),
        fit_(fit),
        times_(times),
        kinds_(problem, DeviceKinds::Merge::kIdentical),
        path_(fullest_path(problem, fit)),
        seen_(problem.groups().size(), 0) {}

  Picoseconds bound() {
    const std::vector<DeviceId>& firsts = kinds_.firsts();
    if (kinds_.are_too_many(problem_.graph().edge_count())) return 0;
    const auto holds_all = [&](DeviceId device) { return end_of_run(0, device) == path_.size(); };
    if (std::ranges::all_of(firsts, holds_all)) return 0;
    ends_ps_.assign(path_.size(), std::vector<Picoseconds>(firsts.size(), kNeverPs));
    Watch watch(problem_.deadline());
    std::size_t steps = 0;
    for (std::size_t first = 0; first < path_.size(); ++first) {
      const std::vector<Picoseconds> starts_ps = starts(first);
      for (std::size_t kind = 0; kind < firsts.size(); ++kind) {
        if (starts_ps[kind] == kNeverPs) continue;
        const std::size_t ran = run(first, kind, starts_ps[kind]);
        watch.check(ran);
        if ((steps += ran) > kMostRunSteps) return 0;
      }
    }
    Picoseconds least_ps = kNeverPs;
    for (std::size_t kind = 0; kind < firsts.size(); ++kind) {
      const Picoseconds end_ps = ends_ps_.back()[kind];
      if (end_ps == kNeverPs) continue;
      least_ps = std::min(least_ps, end_ps + times_.tail_ps(path_.back(), firsts[kind]));
    }
    return least_ps == kNeverPs ? 0 : least_ps;
  }

 private:
  /// The position after the last of the path's ops, from `first` on, for which `device` has room.
  std::size_t end_of_run(std::size_t first, DeviceId device) {
    std::int64_t room_bytes = problem_.topology().device(device).memory_bytes;
    ++run_;
    for (std::size_t at = first; at < path_.size(); ++at) {
      const GroupId group = problem_.groups().of(path_[at]);
      if (!fit_.may_go(group, device)) return at;
      if (seen_[group.index()] != run_) room_bytes -= fit_.memory(group, device).kept_bytes;
      seen_[group.index()] = run_;
      if (room_bytes < 0) return at;
    }
    return path_.size();
  }

  /// By kind: the least time at which a run can begin there, after another on another device.
  std::vector<Picoseconds> starts(std::size_t at) const {
    std::vector<Picoseconds> starts_ps(kinds_.firsts().size(), kNeverPs);
    const OpId op = path_[at];
    const auto begin = [&](std::size_t kind, Picoseconds ready_ps) {
      const DeviceId device = kinds_.firsts()[kind];
      if (!fit_.may_go(problem_.groups().of(op), device)) return;
      starts_ps[kind] = std::min(starts_ps[kind], std::max(ready_ps, times_.head_ps(op, device)));
    };
    if (at == 0) {
      for (std::size_t kind = 0; kind < starts_ps.size(); ++kind) begin(kind, 0);
      return starts_ps;
    }
    if (problem_.groups().of(path_[at - 1]) == problem_.groups().of(op)) return starts_ps;
    const TensorId sent = sent_between(path_[at - 1], op);
    for (std::size_t kind = 0; kind < starts_ps.size(); ++kind) {
      const DeviceId from = kinds_.firsts()[kind];
      if (ends_ps_[at - 1][kind] == kNeverPs) continue;
      for (const DeviceId to : kinds_.places(from)) {
        if (to == from) continue;
        begin(kinds_.columns().of[to.index()],
              ends_ps_[at - 1][kind] + problem_.costs().transfer_ps(sent, from, to));
      }
    }
    return starts_ps;
  }

  TensorId sent_between(OpId from, OpId to) const {
    std::optional<TensorId> largest;
    for (const TensorId input : problem_.graph().inputs(to)) {
      const Tensor& tensor = problem_.graph().tensor(input);
      if (tensor.producer != from) continue;
      if (!largest || tensor.bytes > problem_.graph().tensor(*largest).bytes) largest = input;
    }
    return *largest;
  }

  /// How many ops there is room for from `first` on; they are noted to end no later than so.
  std::size_t run(std::size_t first, std::size_t kind, Picoseconds start_ps) {
    const DeviceId device = kinds_.firsts()[kind];
    const std::size_t end = end_of_run(first, device);
    Picoseconds at_ps = start_ps;
    for (std::size_t at = first; at < end; ++at) {
      at_ps = std::max(at_ps, times_.head_ps(path_[at], device)) +
              problem_.costs().op_ps(path_[at], device);
      ends_ps_[at][kind] = std::min(ends_ps_[at][kind], at_ps);
    }
    return end - first + 1;
  }

  const Problem& problem_;
  const MemoryFit& fit_;
  const HeadsAndTails& times_;
  const DeviceKinds kinds_;
  const std::vector<OpId> path_;
  std::vector<std::uint32_t> seen_;  // by group: the last run that had it
  std::uint32_t run_ = 0;
  std::vector<std::vector<Picoseconds>> ends_ps_;  // by position and kind
};

}  // namespace

Picoseconds memory_cut_bound(const Problem& problem, const MemoryFit& fit,
                             const HeadsAndTails& times) {
  return Runs(problem, fit, times).bound();
}

}  // namespace placer

#include "search/local/stage_loads.hpp"

#include <algorithm>
#include <numeric>

namespace placer {
namespace {

/// For each op, by id, how many hops the longest path to it has.
std::vector<std::size_t> op_depths(const Graph& graph) {
  std::vector<std::size_t> depth(graph.ops().size(), 0);
  for (const OpId op : graph.program_order()) {
    for (const TensorId input : graph.inputs(op)) {
      depth[op.index()] =
          std::max(depth[op.index()], depth[graph.tensor(input).producer.index()] + 1);
    }
  }
  return depth;
}

std::vector<OpId> line_up(const Graph& graph) {
  const std::vector<std::size_t> depths = op_depths(graph);
  std::vector<OpId> line = graph.program_order();
  std::ranges::stable_sort(line, {}, [&](OpId op) { return depths[op.index()]; });
  return line;
}

/// Each slot's share.
std::int64_t work_ps(const Problem& problem, OpId op, DeviceId device) {
  return problem.costs().op_ps(op, device) / problem.topology().device(device).slots;
}

/// If all devices where it may go could share it.
double ideal_ps(const Problem& problem, OpId op) {
  double rate = 0;
  for (const DeviceId device : problem.groups().allowed(problem.groups().of(op))) {
    rate += 1 / static_cast<double>(std::max<std::int64_t>(1, work_ps(problem, op, device)));
  }
  return 1 / rate;
}

}  // namespace

StageLoads::StageLoads(const Problem& problem, std::size_t bands)
    : devices_(problem.device_count()),
      ideals_ps_(2 * bands + 1, 0),
      loads_ps_(ideals_ps_.size() * devices_, 0) {
  slice(problem, cut(problem, bands));
}

std::vector<StageLoads::Cut> StageLoads::cut(const Problem& problem, std::size_t bands) {
  const std::vector<OpId> line = line_up(problem.graph());
  std::vector<double> ideals_ps;
  for (const OpId op : line) ideals_ps.push_back(ideal_ps(problem, op));
  ideal_step_ps_ = std::accumulate(ideals_ps.begin(), ideals_ps.end(), 0.0);
  std::vector<Cut> cuts(problem.op_count());
  std::vector<char> is_lined_up(problem.groups().size(), 0);
  double before_ps = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const double position = before_ps / ideal_step_ps_ * static_cast<double>(bands);
    Cut& cut = cuts[line[i].index()];
    cut = {std::min(static_cast<std::size_t>(position), bands - 1),
           bands + std::min(static_cast<std::size_t>(position + 0.5), bands)};
    for (const std::size_t band : cut) ideals_ps_[band] += ideals_ps[i];
    before_ps += ideals_ps[i];
    const GroupId group = problem.groups().of(line[i]);
    if (is_lined_up[group.index()] == 0) groups_.push_back(group);
    is_lined_up[group.index()] = 1;
  }
  return cuts;
}

void StageLoads::slice(const Problem& problem, const std::vector<Cut>& cuts) {
  for (const GroupId group : IdRange<GroupId>(problem.groups().size())) {
    const auto first = slices_.size();
    for (const OpId op : problem.groups().ops(group)) {
      for (const std::size_t band : cuts[op.index()]) {
        const auto begin = slices_.begin() + static_cast<std::ptrdiff_t>(first);
        auto slice =
            std::find_if(begin, slices_.end(), [&](const Slice& s) { return s.band == band; });
        if (slice == slices_.end()) {
          slice = slices_.insert(slice, {band, works_ps_.size()});
          works_ps_.resize(works_ps_.size() + devices_, 0);
        }
        for (const DeviceId device : problem.groups().allowed(group)) {
          works_ps_[slice->first_work + device.index()] += work_ps(problem, op, device);
        }
      }
    }
    offsets_.push_back(slices_.size());
  }
}

double StageLoads::shift(GroupId group, DeviceId device, std::int64_t sign) {
  double more = 0;
  for (std::size_t i = offsets_[group.index()]; i < offsets_[group.index() + 1]; ++i) {
    const Slice& slice = slices_[i];
    std::int64_t& load_ps = loads_ps_[slice.band * devices_ + device.index()];
    more -= cost(slice.band, load_ps);
    load_ps += sign * works_ps_[slice.first_work + device.index()];
    more += cost(slice.band, load_ps);
  }
  return more / 2;  // each op is in two bands
}

double StageLoads::cost(std::size_t band, std::int64_t load_ps) const {
  const double excess_ps = static_cast<double>(load_ps) - ideals_ps_[band];
  return excess_ps > 0 ? excess_ps * excess_ps / ideals_ps_[band] : 0;
}

}  // namespace placer

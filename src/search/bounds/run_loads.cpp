#include "search/bounds/run_loads.hpp"

#include <algorithm>

namespace placer {
namespace {

/// Evenly spread over the values, the least of them first.
template <std::size_t kCount>
std::array<Picoseconds, kCount> spread(std::vector<Picoseconds> values) {
  std::array<Picoseconds, kCount> spread = {};
  if (values.empty()) return spread;
  std::ranges::sort(values);
  for (std::size_t k = 0; k < kCount; ++k) spread[k] = values[k * values.size() / kCount];
  return spread;
}

}  // namespace

RunLoads::RunLoads(const Problem& problem, const MemoryFit& fit, const HeadsAndTails& times,
                   const std::vector<GroupId>& groups, DeviceId device)
    : slots_(problem.topology().device(device).slots), works_ps_(groups.size(), Table{}) {
  std::vector<Picoseconds> heads_ps, tails_ps;
  const auto for_each_op = [&](std::size_t link, const auto& visit) {
    if (!fit.may_go(groups[link], device)) return;
    for (const OpId op : problem.groups().ops(groups[link])) {
      visit(op, times.head_ps(op, device), times.tail_ps(op, device));
    }
  };
  for (std::size_t link = 0; link < groups.size(); ++link) {
    for_each_op(link, [&](OpId, Picoseconds head_ps, Picoseconds tail_ps) {
      heads_ps.push_back(head_ps);
      tails_ps.push_back(tail_ps);
    });
  }
  heads_ps_ = spread<kThresholds>(std::move(heads_ps));
  tails_ps_ = spread<kThresholds>(std::move(tails_ps));
  for (std::size_t link = 0; link < groups.size(); ++link) {
    for_each_op(link, [&](OpId op, Picoseconds head_ps, Picoseconds tail_ps) {
      for (std::size_t r = 0; r < kThresholds && heads_ps_[r] <= head_ps; ++r) {
        for (std::size_t q = 0; q < kThresholds && tails_ps_[q] <= tail_ps; ++q) {
          works_ps_[link][r * kThresholds + q] += problem.costs().op_ps(op, device);
        }
      }
    });
  }
}

void RunLoads::add(std::size_t link) {
  for (std::size_t k = 0; k < work_ps_.size(); ++k) work_ps_[k] += works_ps_[link][k];
}

Picoseconds RunLoads::least_step_ps() const {
  Picoseconds longest_ps = 0;
  for (std::size_t r = 0; r < kThresholds; ++r) {
    for (std::size_t q = 0; q < kThresholds; ++q) {
      const Picoseconds work_ps = work_ps_[r * kThresholds + q];
      if (work_ps == 0) continue;
      longest_ps = std::max(longest_ps, heads_ps_[r] + work_ps / slots_ + tails_ps_[q]);
    }
  }
  return longest_ps;
}

}  // namespace placer

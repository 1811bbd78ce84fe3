#include "search/exact/host_paths.hpp"

#include <algorithm>

namespace placer {

HostPaths::HostPaths(const Problem& problem, const std::vector<PipelineUnit>& units,
                     std::vector<DeviceId> hosts)
    : problem_(problem),
      hosts_(std::move(hosts)),
      ops_(hosts_.empty() ? 0 : units.size()),
      end_ps_(problem.op_count() * hosts_.size(), 0),
      longest_ps_(hosts_.size(), 0) {
  if (hosts_.empty()) return;
  std::vector<std::uint32_t> unit_of(problem.groups().size());
  for (std::uint32_t unit = 0; unit < units.size(); ++unit) {
    for (const GroupId group : units[unit].groups) unit_of[group.index()] = unit;
  }
  for (const OpId op : problem.graph().program_order()) {
    ops_[unit_of[problem.groups().of(op).index()]].push_back(op);
  }
}

void HostPaths::add(std::uint32_t unit) {
  if (hosts_.empty()) return;
  for (std::size_t host = 0; host < hosts_.size(); ++host) {
    Picoseconds longest_ps = this->longest_ps(host);
    for (const OpId op : ops_[unit]) {
      Picoseconds start_ps = 0;
      for (const TensorId input : problem_.graph().inputs(op)) {
        const OpId producer = problem_.graph().tensor(input).producer;
        start_ps = std::max(start_ps, end_ps_[producer.index() * hosts_.size() + host]);
      }
      Picoseconds& end_ps = end_ps_[op.index() * hosts_.size() + host];
      end_ps = start_ps + problem_.costs().op_ps(op, hosts_[host]);
      longest_ps = std::max(longest_ps, end_ps);
    }
    longest_ps_.push_back(longest_ps);
  }
  added_.push_back(unit);
}

void HostPaths::take_back() {
  if (hosts_.empty()) return;
  for (const OpId op : ops_[added_.back()]) {
    const auto ends = end_ps_.begin() + static_cast<std::ptrdiff_t>(op.index() * hosts_.size());
    std::fill_n(ends, hosts_.size(), 0);
  }
  added_.pop_back();
  longest_ps_.resize(longest_ps_.size() - hosts_.size());
}

Picoseconds HostPaths::longest_ps(std::size_t host) const {
  return longest_ps_[added_.size() * hosts_.size() + host];
}

}  // namespace placer

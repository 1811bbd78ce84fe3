#include "search/learned/device_views.hpp"

#include <algorithm>
#include <array>

#include "placer/base/real.hpp"

namespace placer {
namespace {

double share(double part, double whole) { return whole > 0 ? part / whole : 0; }

/// 0 for nothing, 1 for some 50 times `unit`.
double in_units(double value, double unit) {
  return portable_log(1 + value / std::max(1.0, unit)) / 4;
}

double mean_transfer_ps(const Problem& problem, TensorId tensor) {
  double sum = 0;
  std::size_t pairs = 0;
  for (const DeviceId from : IdRange<DeviceId>(problem.device_count())) {
    for (const DeviceId to : IdRange<DeviceId>(problem.device_count())) {
      if (from == to) continue;
      sum += static_cast<double>(problem.costs().transfer_ps(tensor, from, to));
      ++pairs;
    }
  }
  return share(sum, static_cast<double>(pairs));
}

}  // namespace

DeviceViews::DeviceViews(const Problem& problem, const GroupGraph& graph,
                         const std::vector<std::vector<std::uint32_t>>& parallel,
                         std::span<const std::int64_t> memory_bytes)
    : problem_(problem),
      graph_(graph),
      parallel_(parallel),
      memory_bytes_(memory_bytes),
      from_(graph.size()),
      to_(graph.size()) {
  add_edges();
}

void DeviceViews::add_edges() {
  for (const TensorId tensor : IdRange<TensorId>(problem_.graph().tensors().size())) {
    const Tensor& sent = problem_.graph().tensor(tensor);
    const auto from = static_cast<std::uint32_t>(problem_.groups().of(sent.producer).index());
    std::vector<std::uint32_t> readers;
    for (const OpId consumer : sent.consumers) {
      readers.push_back(static_cast<std::uint32_t>(problem_.groups().of(consumer).index()));
    }
    std::ranges::sort(readers);
    readers.erase(std::unique(readers.begin(), readers.end()), readers.end());
    std::erase(readers, from);
    if (readers.empty()) continue;
    const double ps = mean_transfer_ps(problem_, tensor);
    for (const std::uint32_t to : readers) {
      to_[from].push_back({to, ps});
      from_[to].push_back({from, ps});
    }
  }
}

void DeviceViews::sum(const Placement& placement, std::size_t group) {
  on_.assign(problem_.device_count(), {});
  all_ = {};
  const auto add = [&](std::size_t other, double Sums::*figure, double value) {
    on_[placement.devices[other].index()].*figure += value;
    all_.*figure += value;
  };
  for (std::size_t other = 0; other < graph_.size(); ++other) {
    if (other == group) continue;
    add(other, &Sums::work_ps, graph_.mean_ps[other]);
    add(other, &Sums::bytes, static_cast<double>(memory_bytes_[other]));
  }
  for (const std::uint32_t other : parallel_[group]) {
    add(other, &Sums::parallel_ps, graph_.mean_ps[other]);
  }
  for (const Edge& edge : from_[group]) add(edge.group, &Sums::from_ps, edge.ps);
  for (const Edge& edge : to_[group]) add(edge.group, &Sums::to_ps, edge.ps);
}

void DeviceViews::fill(const Placement& placement, std::size_t group, nn::Index first_row,
                       nn::Matrix& rows) {
  sum(placement, group);
  const double own_ps = graph_.mean_ps[group];
  const double own_bytes = static_cast<double>(memory_bytes_[group]);
  rows.middleRows(first_row, static_cast<nn::Index>(on_.size())).setZero();
  for (const DeviceId device : problem_.groups().allowed(GroupId(group))) {
    const Sums& here = on_[device.index()];
    const double capacity =
        std::max(1.0, static_cast<double>(problem_.topology().device(device).memory_bytes));
    const double here_ps = static_cast<double>(problem_.group_ps(GroupId(group), device));
    const std::array<double, kFeatures> numbers = {
        placement.devices[group] == device ? 1.0 : 0.0,
        share(here.from_ps, all_.from_ps),
        share(here.to_ps, all_.to_ps),
        share(here.work_ps, all_.work_ps),
        share(here.parallel_ps, all_.parallel_ps),
        std::max(-1.0, 1 - (here.bytes + own_bytes) / capacity),
        std::min(4.0, share(here_ps, own_ps) - 1),
        in_units(all_.from_ps - here.from_ps, own_ps),
        in_units(all_.to_ps - here.to_ps, own_ps),
        in_units(here.parallel_ps, own_ps)};
    nn::Index column = 0;
    for (const double number : numbers) {
      rows(first_row + static_cast<nn::Index>(device.index()), column++) = number;
    }
  }
}

}  // namespace placer

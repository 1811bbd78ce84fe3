// The rows of a ThroughputProgram for contiguity, and the order in which it uses devices.
#include <fmt/format.h>

#include <algorithm>

#include "search/exact/throughput_program.hpp"

namespace placer {
namespace {

constexpr std::size_t kOrderedUnits = 30;  // of which identical devices are used one by one

}  // namespace

void ThroughputProgram::add_contiguity() {
  const Goal& goal = problem_.goal();
  switch (goal.contiguity) {
    case Contiguity::kNone:
      return use_identical_in_order();
    case Contiguity::kContiguous:
      add_returns();
      return use_identical_in_order();
    case Contiguity::kStages:
      if (!goal.stages.empty()) return add_given_stages(goal.stages);
      if (!are_all_identical()) return add_free_stages();
      std::vector<DeviceId> all;
      for (const DeviceId device : devices()) all.push_back(device);
      add_given_stages(all);
  }
}

/// z(v, d) is at least whether the forward pass leads from op v to d's set; it is 0 where it has
/// just left that set (Tarnawski et al. 2020, lemma 4.1).
void ThroughputProgram::add_returns() {
  const Graph& graph = problem_.graph();
  Watch watch(problem_.deadline());
  for (const DeviceId device : devices()) {
    std::vector<int> z(problem_.op_count(), kNone);
    for (const OpId op : IdRange<OpId>(problem_.op_count())) {
      if (graph.op(op).backward) continue;
      z[op.index()] = add_share(fmt::format("z{}_{}", op.index(), device.index()), false);
      add({{x(unit_of(op), device), 1}, {z[op.index()], -1}}, 0);
    }
    for (const Tensor& tensor : graph.tensors()) {
      if (is_too_large()) return;
      watch.check((1 + tensor.consumers.size()) * 20);
      const OpId from = tensor.producer;
      for (const OpId to : tensor.consumers) {
        if (z[from.index()] == kNone || z[to.index()] == kNone) continue;
        add({{z[to.index()], 1}, {z[from.index()], -1}}, 0);
        if (unit_of(from) == unit_of(to)) continue;
        add({{z[to.index()], 1}, {x(unit_of(to), device), -1}, {x(unit_of(from), device), 1}}, 1);
      }
    }
  }
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> ThroughputProgram::forward_arcs() const {
  const Graph& graph = problem_.graph();
  std::vector<std::pair<std::uint32_t, std::uint32_t>> arcs;
  for (const Tensor& tensor : graph.tensors()) {
    if (graph.op(tensor.producer).backward) continue;
    for (const OpId consumer : tensor.consumers) {
      const std::pair arc(unit_of(tensor.producer), unit_of(consumer));
      if (!graph.op(consumer).backward && arc.first != arc.second) arcs.push_back(arc);
    }
  }
  std::ranges::sort(arcs);
  arcs.erase(std::unique(arcs.begin(), arcs.end()), arcs.end());
  return arcs;
}

/// y(g, k) is 1 where group g is in one of the first k + 1 stages.
void ThroughputProgram::add_given_stages(const std::vector<DeviceId>& stages) {
  std::vector<std::vector<int>> y(members_.size());
  const std::size_t count = stages.size() - 1;
  for (std::uint32_t unit = 0; unit < members_.size(); ++unit) {
    for (std::size_t k = 0; k < count; ++k) {
      const int before = k == 0 ? kNone : y[unit].back();
      y[unit].push_back(add_share(fmt::format("y{}_{}", unit, k), false));
      add({{y[unit].back(), 1}, {before, -1}, {x(unit, stages[k]), -1}}, 0, Sense::kEqual);
    }
  }
  for (const auto& [from, to] : forward_arcs()) {
    for (std::size_t k = 0; k < count; ++k) add({{y[to][k], 1}, {y[from][k], -1}}, 0);
  }
}

double ThroughputProgram::before(DeviceId first, DeviceId second, double sign, Terms& terms) const {
  const auto at = before_.find(std::minmax(first, second));
  if (at == before_.end()) return first < second ? sign : 0;
  terms.push_back({at->second, first < second ? sign : -sign});
  return first < second ? 0 : sign;
}

/// Identical devices in the order of their ids, others as the program chooses.
void ThroughputProgram::add_free_stages() {
  for (const DeviceId first : devices()) {
    for (const DeviceId second : devices()) {
      if (second <= first) continue;
      if (problem_.first_identical(first) == problem_.first_identical(second)) continue;
      before_[{first, second}] =
          add_share(fmt::format("before{}_{}", first.index(), second.index()), true);
    }
  }
  add_transitivity();
  for (const auto& [from, to] : forward_arcs()) {
    if (is_too_large()) return;
    for (const DeviceId first : devices()) {
      for (const DeviceId second : devices()) {
        if (first == second || x(from, first) == kNone || x(to, second) == kNone) continue;
        Terms terms = {{x(from, first), 1}, {x(to, second), 1}};
        const double sum = before(first, second, -1, terms);
        if (terms.size() > 2 || sum == 0) add(std::move(terms), 1 - sum);
      }
    }
  }
}

void ThroughputProgram::add_transitivity() {
  for (const DeviceId a : devices()) {
    for (const DeviceId b : devices()) {
      for (const DeviceId c : devices()) {
        if (a == b || b == c || a == c) continue;
        if (is_too_large()) return;
        Terms terms;
        const double sum =
            before(a, b, 1, terms) + before(b, c, 1, terms) + before(a, c, -1, terms);
        add(std::move(terms), 1 - sum);
      }
    }
  }
}

/// The first units, the heaviest first, use identical devices one after the other: each of them
/// only where an earlier unit is on the one before.
void ThroughputProgram::use_identical_in_order() {
  const std::size_t last = std::min(kOrderedUnits, heaviest_.size());
  std::map<DeviceId, DeviceId> latest;  // by first identical one
  for (const DeviceId device : devices()) {
    const auto [at, is_first] = latest.try_emplace(problem_.first_identical(device), device);
    if (is_first) continue;
    const DeviceId before = std::exchange(at->second, device);
    Terms used;
    for (std::size_t i = 0; i < last; ++i) {
      const std::uint32_t unit = heaviest_[i];
      Terms terms = used;
      terms.push_back({x(unit, device), 1});
      if (x(unit, device) != kNone) add(std::move(terms), 0);
      used.push_back({x(unit, before), -1});
    }
  }
}

bool ThroughputProgram::are_all_identical() const {
  bool all = true;
  for (const DeviceId device : devices()) {
    all = all && problem_.first_identical(device) == DeviceId(0);
  }
  return all;
}

}  // namespace placer

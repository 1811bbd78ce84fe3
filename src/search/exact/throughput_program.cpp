#include "search/exact/throughput_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "search/groups/free_riders.hpp"

namespace placer {
ThroughputProgram::ThroughputProgram(const Problem& problem, double unit_ps,
                                     std::size_t most_entries)
    : problem_(problem), unit_ps_(unit_ps), most_entries_(most_entries), memory_(problem) {}

std::optional<ThroughputProgram> ThroughputProgram::of(const Problem& problem, double unit_ps,
                                                       std::size_t most_entries) {
  ThroughputProgram made(problem, unit_ps, most_entries);
  made.number_units();
  made.find_short_memories();
  made.add_choices();
  made.bottleneck_ = made.program_.add_column({.name = "bottleneck", .cost = 1});
  if (!made.is_too_large()) made.add_loads();
  if (!made.is_too_large()) made.add_contiguity();
  if (made.is_too_large()) return std::nullopt;
  return made;
}

MixedProgram ThroughputProgram::within(double low, double high) const {
  MixedProgram program = program_;
  program.set_bounds(bottleneck_, low, high);
  return program;
}

void ThroughputProgram::add(Terms terms, double bound, Sense sense) {
  std::erase_if(terms, [](const Term& term) { return term.column == kNone; });
  std::ranges::sort(terms, {}, &Term::column);
  Terms sums;
  for (const Term& term : terms) {
    if (!sums.empty() && sums.back().column == term.column) {
      sums.back().coefficient += term.coefficient;
    } else {
      sums.push_back(term);
    }
  }
  std::erase_if(sums, [](const Term& term) { return term.coefficient == 0; });
  program_.add_row(sums, sense, bound);
}

int ThroughputProgram::add_share(std::string name, bool is_integer) {
  return program_.add_column(
      {.name = std::move(name), .cost = 0, .low = 0, .high = 1, .is_integer = is_integer});
}

void ThroughputProgram::number_units() {
  const std::vector<std::uint32_t> hosts = free_riders(problem_);
  unit_of_.resize(hosts.size());
  for (std::uint32_t group = 0; group < hosts.size(); ++group) {
    if (hosts[group] != group) continue;
    unit_of_[group] = static_cast<std::uint32_t>(members_.size());
    members_.push_back({GroupId(group)});
  }
  for (std::uint32_t group = 0; group < hosts.size(); ++group) {
    if (hosts[group] == group) continue;
    unit_of_[group] = unit_of_[hosts[group]];
    members_[unit_of_[group]].emplace_back(group);
  }
  std::vector<Picoseconds> least_ps;
  for (std::uint32_t unit = 0; unit < members_.size(); ++unit) {
    const auto allowed = problem_.groups().allowed(members_[unit].front());
    least_ps.push_back(unit_ps(unit, allowed.front()));
    for (const DeviceId device : allowed) {
      least_ps.back() = std::min(least_ps.back(), unit_ps(unit, device));
    }
  }
  heaviest_.resize(members_.size());
  std::iota(heaviest_.begin(), heaviest_.end(), 0U);
  std::ranges::stable_sort(heaviest_, std::ranges::greater(),
                           [&](std::uint32_t unit) { return least_ps[unit]; });
}

Picoseconds ThroughputProgram::unit_ps(std::uint32_t unit, DeviceId device) const {
  Picoseconds sum_ps = 0;
  for (const GroupId group : members_[unit]) sum_ps += problem_.group_ps(group, device);
  return sum_ps;
}

void ThroughputProgram::find_short_memories() {
  const Graph& graph = problem_.graph();
  double bytes = 0, need = 0;
  for (const Op& op : graph.ops()) bytes += static_cast<double>(op.params_bytes);
  for (const Tensor& tensor : graph.tensors()) bytes += static_cast<double>(tensor.bytes);
  for (const OpId op : IdRange<OpId>(problem_.op_count())) {
    need = std::max(need, static_cast<double>(memory_.need_bytes(op)));
  }
  for (const Device& device : problem_.topology().devices()) {
    is_short_.push_back(bytes + need > static_cast<double>(device.memory_bytes) ? 1 : 0);
  }
}

void ThroughputProgram::add_choices() {
  x_.assign(members_.size() * problem_.device_count(), kNone);
  Watch watch(problem_.deadline());
  for (std::uint32_t unit = 0; unit < members_.size(); ++unit) {
    if (is_too_large()) return;
    const GroupId host = members_[unit].front();
    watch.check(10 * problem_.groups().allowed(host).size());
    Terms sum;
    for (const DeviceId device : problem_.groups().allowed(host)) {
      const int column = add_share(fmt::format("x{}_{}", host.index(), device.index()), true);
      x_[unit * problem_.device_count() + device.index()] = column;
      sum.push_back({column, 1});
    }
    add(std::move(sum), 1, Sense::kEqual);
  }
}

void ThroughputProgram::add_loads() {
  std::vector<Loads> loads(problem_.device_count());
  Watch watch(problem_.deadline());
  for (const DeviceId device : devices()) {
    const double scale = unit_ps_ * static_cast<double>(problem_.topology().device(device).slots);
    for (std::uint32_t unit = 0; unit < members_.size(); ++unit) {
      if (x(unit, device) == kNone) continue;
      watch.check(10);
      loads[device.index()].work.push_back(
          {x(unit, device), static_cast<double>(unit_ps(unit, device)) / scale});
    }
  }
  add_tensors(loads);
  for (const DeviceId device : devices()) {
    add_load_rows(device, loads[device.index()]);
    if (is_short_[device.index()] != 0) add_memory(device, loads[device.index()].held);
  }
}

void ThroughputProgram::add_tensors(std::vector<Loads>& loads) {
  const Graph& graph = problem_.graph();
  Watch watch(problem_.deadline());
  for (const TensorId id : IdRange<TensorId>(graph.tensors().size())) {
    const Tensor& tensor = graph.tensor(id);
    if (tensor.bytes == 0) continue;
    if (is_too_large()) return;
    Crossing crossing{id, unit_of(tensor.producer), {}};
    for (const OpId consumer : tensor.consumers) crossing.consumers.push_back(unit_of(consumer));
    std::ranges::sort(crossing.consumers);
    crossing.consumers.erase(std::unique(crossing.consumers.begin(), crossing.consumers.end()),
                             crossing.consumers.end());
    std::erase(crossing.consumers, crossing.producer);
    watch.check(problem_.device_count() * (1 + crossing.consumers.size()) * 50);
    for (const DeviceId device : devices()) {
      Loads& load = loads[device.index()];
      add_crossing(crossing, device, Way::kOut, load);
      add_crossing(crossing, device, Way::kIn, load);
      if (memory_.stays(id)) {
        load.held.push_back({x(crossing.producer, device), static_cast<double>(tensor.bytes)});
      }
    }
  }
}

Picoseconds ThroughputProgram::transfer_ps(TensorId tensor, DeviceId device, DeviceId other,
                                           Way way) const {
  return way == Way::kIn ? problem_.costs().transfer_ps(tensor, other, device)
                         : problem_.costs().transfer_ps(tensor, device, other);
}

/// One column for each of the times that the transfer may take: it is 1 where that is at least so
/// long, and costs what this one is longer than the one before.
void ThroughputProgram::add_crossing(const Crossing& crossing, DeviceId device, Way way,
                                     Loads& loads) {
  const bool is_host = problem_.topology().device(device).host;
  std::vector<Picoseconds> times_ps;
  for (const std::uint32_t consumer : crossing.consumers) {
    const std::uint32_t here = way == Way::kIn ? consumer : crossing.producer;
    const std::uint32_t there = way == Way::kIn ? crossing.producer : consumer;
    if (x(here, device) == kNone) continue;
    for (const DeviceId other : devices()) {
      if (other == device || x(there, other) == kNone) continue;
      times_ps.push_back(is_host ? 0 : transfer_ps(crossing.tensor, device, other, way));
    }
  }
  std::ranges::sort(times_ps);
  times_ps.erase(std::unique(times_ps.begin(), times_ps.end()), times_ps.end());
  const auto bytes = static_cast<double>(problem_.graph().tensor(crossing.tensor).bytes);
  Picoseconds before_ps = 0;
  for (std::size_t level = 0; level < times_ps.size(); ++level) {
    const bool holds = level == 0 && is_short_[device.index()] != 0 &&
                       (way == Way::kIn || !memory_.stays(crossing.tensor));
    const Picoseconds more_ps = times_ps[level] - std::exchange(before_ps, times_ps[level]);
    if (more_ps == 0 && !holds) continue;
    const int column = add_share(fmt::format("{}{}_{}_{}", way == Way::kIn ? "in" : "out",
                                             crossing.tensor.index(), device.index(), level),
                                 false);
    (way == Way::kIn ? loads.received : loads.sent)
        .push_back({column, static_cast<double>(more_ps) / unit_ps_});
    if (holds) loads.held.push_back({column, bytes});
    add_crossing_rows(crossing, device, way, level == 0 ? -1 : times_ps[level], column);
  }
}

/// The column is 1 where the transfer takes at least `least_ps`; below 0, where there is one.
void ThroughputProgram::add_crossing_rows(const Crossing& crossing, DeviceId device, Way way,
                                          Picoseconds least_ps, int column) {
  for (const std::uint32_t consumer : crossing.consumers) {
    const std::uint32_t here = way == Way::kIn ? consumer : crossing.producer;
    const std::uint32_t there = way == Way::kIn ? crossing.producer : consumer;
    if (x(here, device) == kNone) continue;
    Terms terms = {{x(here, device), 1}, {column, -1}};
    if (least_ps < 0) {
      terms.push_back({x(there, device), -1});
      add(std::move(terms), 0);
      continue;
    }
    for (const DeviceId other : devices()) {
      if (other != device && x(there, other) != kNone &&
          transfer_ps(crossing.tensor, device, other, way) >= least_ps) {
        terms.push_back({x(there, other), 1});
      }
    }
    if (terms.size() > 2) add(std::move(terms), 1);
  }
}

void ThroughputProgram::add_load_rows(DeviceId id, const Loads& loads) {
  const Topology& topology = problem_.topology();
  const auto bound = [&](std::initializer_list<const Terms*> parts) {
    Terms terms = {{bottleneck_, -1}};
    for (const Terms* part : parts) terms.insert(terms.end(), part->begin(), part->end());
    if (terms.size() > 1) add(std::move(terms), 0);
  };
  if (topology.device(id).host) return bound({&loads.work});
  if (topology.transfers() == Transfers::kSerial) {
    return bound({&loads.work, &loads.sent, &loads.received});
  }
  bound({&loads.work});
  if (topology.contention() == Contention::kHalfDuplex) {
    return bound({&loads.sent, &loads.received});
  }
  bound({&loads.sent});
  bound({&loads.received});
}

/// In shares of the device's memory.
void ThroughputProgram::add_memory(DeviceId device, Terms held) {
  const auto capacity = static_cast<double>(
      std::max<std::int64_t>(1, problem_.topology().device(device).memory_bytes));
  const double most = problem_.topology().device(device).memory_bytes > 0 ? 1 : 0;
  const int need = program_.add_column({.name = fmt::format("need{}", device.index())});
  for (std::uint32_t unit = 0; unit < members_.size(); ++unit) {
    std::int64_t params_bytes = 0, need_bytes = 0;
    for (const GroupId group : members_[unit]) {
      for (const OpId op : problem_.groups().ops(group)) {
        params_bytes += problem_.graph().op(op).params_bytes;
        need_bytes = std::max(need_bytes, memory_.need_bytes(op));
      }
    }
    held.push_back({x(unit, device), static_cast<double>(params_bytes)});
    if (need_bytes == 0 || x(unit, device) == kNone) continue;
    add({{x(unit, device), static_cast<double>(need_bytes) / capacity}, {need, -1}}, 0);
  }
  for (Term& term : held) term.coefficient /= capacity;
  held.push_back({need, 1});
  add(std::move(held), most);
}

Placement ThroughputProgram::placement(std::span<const double> values) const {
  Placement placement{std::vector<DeviceId>(problem_.groups().size())};
  for (std::uint32_t unit = 0; unit < members_.size(); ++unit) {
    const auto value = [&](DeviceId device) {
      return values[static_cast<std::size_t>(x(unit, device))];
    };
    const DeviceId chosen =
        *std::ranges::max_element(problem_.groups().allowed(members_[unit].front()), {}, value);
    for (const GroupId group : members_[unit]) placement[group] = chosen;
  }
  return placement;
}

}  // namespace placer

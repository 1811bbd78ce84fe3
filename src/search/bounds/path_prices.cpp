#include "search/bounds/path_prices.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "placer/base/real.hpp"

namespace placer {
namespace {

constexpr std::size_t kMostPrices = 200'000;
constexpr std::size_t kMostQuick = 10'000;  // choices for which paths take a fraction of a second
constexpr std::size_t kChoicesOfFlows = 60'000;  // choices times flows
constexpr std::size_t kWorkOfRound = 2'000'000;  // choices times steps of looking for prices
constexpr std::size_t kMostOfProgram = 5'000;    // choices
constexpr int kStepsOfProgram = 20'000;
constexpr std::size_t kFewestSteps = 20, kMostSteps = 100;
constexpr std::size_t kFewestFlows = 3, kMostFlows = 18;
constexpr double kWeightOfLast = 0.4;  // of a solution in the mean of all
constexpr double kIdle = 1.0005;       // times the bound: no gain worth another three flows
constexpr std::array kWidths = {3e-4, 3e-3, 3e-2};      // in turns
constexpr std::int64_t kWhole = std::int64_t{1} << 30;  // of a flow

/// Hands `mass` out to the ops, most of it to those with the longest tails.
void spread(std::int64_t mass, const std::vector<OpId>& ops, const std::vector<double>& tails_ps,
            double unit_ps, std::vector<std::int64_t>& flow) {
  if (ops.empty() || mass == 0) return;
  const OpId longest =
      *std::ranges::max_element(ops, {}, [&](OpId op) { return tails_ps[op.index()]; });
  std::vector<double> weights;
  for (const OpId op : ops) {
    weights.push_back(portable_exp((tails_ps[op.index()] - tails_ps[longest.index()]) / unit_ps));
  }
  const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::int64_t left = mass;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const auto part = static_cast<std::int64_t>(static_cast<double>(mass) * (weights[i] / all));
    flow[ops[i].index()] += part;
    left -= part;
  }
  flow[longest.index()] += left;
}

void add_choice(LoadBound& loads, const Problem& problem, const MemoryFit& fit, GroupId group,
                DeviceId device) {
  loads.add_choice(device, problem.group_ps(group, device), fit.memory(group, device).kept_bytes);
}

/// By op, an op as often as it reads some tensor.
std::vector<std::vector<OpId>> consumers_of_ops(const Graph& graph) {
  std::vector<std::vector<OpId>> consumers(graph.ops().size());
  for (const Tensor& tensor : graph.tensors()) {
    std::vector<OpId>& found = consumers[tensor.producer.index()];
    found.insert(found.end(), tensor.consumers.begin(), tensor.consumers.end());
  }
  return consumers;
}

}  // namespace

LoadBound loads_of_groups(const Problem& problem, const MemoryFit& fit) {
  LoadBound loads(problem);
  Watch watch(problem.deadline());
  for (const GroupId group : IdRange<GroupId>(problem.groups().size())) {
    watch.check(problem.groups().ops(group).size() * problem.device_count());
    for (const DeviceId device : fit.devices(group)) {
      add_choice(loads, problem, fit, group, device);
    }
    loads.end_item();
  }
  if (fit.may_bind()) loads.round_memory_to_sums();
  return loads;
}

LoadsInMemory loads_in_memory(const LoadBound& by_work, Picoseconds work_ps, const MemoryFit& fit) {
  LoadsInMemory found{by_work, work_ps};
  if (fit.infeasible().empty() && fit.may_bind()) {
    found.bound_ps = found.loads.bound_in_memory(kStepsOfLoads, work_ps);
  }
  return found;
}

PathPrices::PathPrices(const Problem& problem, const MemoryFit& fit, LoadBound loads)
    : problem_(problem), fit_(fit), loads_(std::move(loads)) {
  for (const GroupId group : IdRange<GroupId>(problem.groups().size())) {
    for (const DeviceId device : fit.devices(group)) {
      if (loads_.counts(device)) choices_.push_back({group, device});
    }
  }
  steps_ = static_cast<int>(std::clamp(kWorkOfRound / choices_.size(), kFewestSteps, kMostSteps));
  most_flows_ = std::clamp(kChoicesOfFlows / choices_.size(), kFewestFlows, kMostFlows);
}

bool PathPrices::is_too_large() const {
  return choices_.size() > kMostPrices || loads_.shares().empty();
}

/// Adds flows for as long as that raises the bound. Memory makes prices hard to find by steps: then
/// they are the program's, and as each of its solutions is a corner that would want a path of its
/// own, flows are those of the mean of all solutions.
Picoseconds PathPrices::run() {
  const bool by_program = fit_.may_bind() && choices_.size() <= kMostOfProgram;
  Picoseconds bound_ps = 0, before_ps = 0;
  mean_shares_ = loads_.shares();
  consumers_ = consumers_of_ops(problem_.graph());
  while (flows_.size() < most_flows_ && !problem_.deadline().passed()) {
    if (flows_.size() % kWidths.size() == 0) {
      if (static_cast<double>(bound_ps) < kIdle * static_cast<double>(before_ps)) break;
      before_ps = bound_ps;
    }
    flows_.push_back(critical_flow(kWidths[flows_.size() % kWidths.size()]));
    loads_.add_path(times_on(flows_.back(), choices_));
    const Picoseconds settled_ps = by_program ? settle() : 0;
    bound_ps = std::max(bound_ps, settled_ps);
    if (settled_ps == 0) bound_ps = loads_.bound_with_paths(steps_, bound_ps, fit_.may_bind());
    const double weight = settled_ps == 0 ? 1 : kWeightOfLast;
    for (std::size_t c = 0; c < choices_.size(); ++c) {
      mean_shares_[c] += weight * (loads_.shares()[c] - mean_shares_[c]);
    }
  }
  return bound_ps;
}

Picoseconds PathPrices::settle() {
  if (choices_.size() > kMostOfProgram) return 0;
  return loads_.bound_by_program(kStepsOfProgram, fit_.may_bind()).value_or(0);
}

/// By op, the part of kWhole that leads through it when paths are as likely as they are long: one
/// that is shorter than the longest by `width` of it is a third as likely.
std::vector<std::int64_t> PathPrices::critical_flow(double width) const {
  const std::vector<double> ops_ps = shared_times();
  const Graph& graph = problem_.graph();
  std::vector<double> tails_ps(ops_ps.size(), 0);
  std::vector<char> is_first(ops_ps.size(), 1);
  for (auto op = graph.program_order().rbegin(); op != graph.program_order().rend(); ++op) {
    for (const OpId consumer : consumers_[op->index()]) {
      is_first[consumer.index()] = 0;
      tails_ps[op->index()] = std::max(tails_ps[op->index()], tails_ps[consumer.index()]);
    }
    tails_ps[op->index()] += ops_ps[op->index()];
  }
  std::vector<OpId> firsts;
  std::ranges::copy_if(graph.program_order(), std::back_inserter(firsts),
                       [&](OpId op) { return is_first[op.index()] != 0; });
  const double unit_ps = std::max(1.0, width * *std::ranges::max_element(tails_ps));
  std::vector<std::int64_t> flow(ops_ps.size(), 0);
  spread(kWhole, firsts, tails_ps, unit_ps, flow);
  for (const OpId op : graph.program_order()) {
    spread(flow[op.index()], consumers_[op.index()], tails_ps, unit_ps, flow);
  }
  return flow;
}

/// By op: the mean over devices.
std::vector<double> PathPrices::shared_times() const {
  std::vector<double> ops_ps(problem_.op_count(), 0);
  for (std::size_t c = 0; c < choices_.size(); ++c) {
    if (mean_shares_[c] == 0) continue;
    for (const OpId op : problem_.groups().ops(choices_[c].group)) {
      ops_ps[op.index()] +=
          mean_shares_[c] * static_cast<double>(problem_.costs().op_ps(op, choices_[c].device));
    }
  }
  return ops_ps;
}

/// By choice: the time of the group's ops on the flow's paths, as their mean.
std::vector<Picoseconds> PathPrices::times_on(const std::vector<std::int64_t>& flow,
                                              const std::vector<Choice>& choices) const {
  std::vector<Picoseconds> times_ps;
  for (const Choice& choice : choices) {
    __int128 all = 0;
    for (const OpId op : problem_.groups().ops(choice.group)) {
      if (flow[op.index()] == 0) continue;
      all += static_cast<__int128>(flow[op.index()]) * problem_.costs().op_ps(op, choice.device);
    }
    times_ps.push_back(static_cast<Picoseconds>(all / kWhole));
  }
  return times_ps;
}

Picoseconds PathPrices::bound_of(const std::vector<Choice>& left) const {
  LoadBound loads(problem_);
  std::size_t next = 0;
  for (const GroupId group : IdRange<GroupId>(problem_.groups().size())) {
    const std::size_t first = next;
    for (; next < left.size() && left[next].group == group; ++next) {
      add_choice(loads, problem_, fit_, group, left[next].device);
    }
    if (next == first) return std::numeric_limits<Picoseconds>::max();
    loads.end_item();
  }
  for (const std::vector<std::int64_t>& flow : flows_) loads.add_path(times_on(flow, left));
  loads.continue_from(loads_);
  return loads.bound_with_paths(steps_, 0, fit_.may_bind());
}

PathPrices best_prices(const Problem& problem, const MemoryFit& fit, bool with_paths) {
  LoadBound by_work = loads_of_groups(problem, fit);
  const Picoseconds work_ps = by_work.bound(kStepsOfLoads);
  PathPrices prices(problem, fit, loads_in_memory(by_work, work_ps, fit).loads);
  with_paths = with_paths && !prices.is_too_large() && prices.choices().size() <= kMostQuick;
  if (with_paths) prices.run();
  return prices;
}

}  // namespace placer

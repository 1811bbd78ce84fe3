#include "search/exact/stage_costs.hpp"

#include <algorithm>
#include <limits>

#include "placer/model/microbatches.hpp"

namespace placer {
namespace {

constexpr DeviceId kStage{0};  // where the stage's memory is counted

bool has_calls(const Problem& problem) {
  return problem.goal().objective == Objective::kCallLatency;
}

/// Where calls count.
std::vector<DeviceId> hosts_among(const Problem& problem, const std::vector<DeviceId>& devices) {
  std::vector<DeviceId> hosts;
  std::ranges::copy_if(devices, std::back_inserter(hosts), [&](DeviceId device) {
    return has_calls(problem) && problem.topology().device(device).host;
  });
  return hosts;
}

}  // namespace

LinkSpeeds link_speeds(const Topology& topology, DeviceId device) {
  LinkSpeeds speeds;
  const LinkTable& table = topology.link_table();
  const std::size_t own = table.end_of[device.index()];
  const bool is_alone = std::ranges::count(table.end_of, table.end_of[device.index()]) == 1;
  const auto add = [&](std::uint32_t link, std::vector<std::size_t>& to) {
    if (link != LinkTable::kNoLink) to.push_back(topology.speeds_of_links()[link]);
  };
  for (std::size_t other = 0; other < table.ends; ++other) {
    if (other == own && is_alone) continue;
    add(table.links[own * table.ends + other], speeds.out);
    add(table.links[other * table.ends + own], speeds.in);
  }
  for (std::vector<std::size_t>* classes : {&speeds.out, &speeds.in}) {
    std::ranges::sort(*classes);
    classes->erase(std::unique(classes->begin(), classes->end()), classes->end());
  }
  return speeds;
}

StageCosts::StageCosts(const Problem& problem, const std::vector<PipelineUnit>& units,
                       std::vector<DeviceId> devices)
    : problem_(problem),
      units_(units),
      devices_(std::move(devices)),
      is_calls_(has_calls(problem)),
      paths_(problem, units, hosts_among(problem, devices_)),
      once_(runs_once(problem.graph())),
      gradient_bytes_of_(gradient_bytes_by_op(problem.graph(), once_)),
      sums_(devices_.size()),
      states_(problem.graph().tensors().size()),
      memory_(problem) {
  fill_tables();
}

void StageCosts::fill_tables() {
  const Topology& topology = problem_.topology();
  const std::size_t tensors = states_.size();
  Watch watch(problem_.deadline());
  out_ps_.assign(tensors * devices_.size(), 0);
  in_ps_.assign(tensors * devices_.size(), 0);
  for (std::size_t d = 0; d < devices_.size(); ++d) {
    const LinkSpeeds speeds = link_speeds(topology, devices_[d]);
    const auto fill = [&](const std::vector<std::size_t>& classes,
                          std::vector<Picoseconds>& table) {
      for (std::size_t t = 0; t < tensors && !classes.empty(); ++t) {
        Picoseconds least_ps = std::numeric_limits<Picoseconds>::max();
        watch.check(classes.size());
        for (const std::size_t speed : classes) {
          least_ps = std::min(least_ps, problem_.costs().transfer_ps(TensorId(t), speed));
        }
        table[t * devices_.size() + d] = least_ps;
      }
    };
    if (topology.device(devices_[d]).host) continue;
    fill(speeds.out, out_ps_);
    fill(speeds.in, in_ps_);
  }
}

void StageCosts::add(std::uint32_t unit) {
  change(unit, 1);
  paths_.add(unit);
  added_.push_back(unit);
}

void StageCosts::take_back() {
  change(added_.back(), -1);
  paths_.take_back();
  added_.pop_back();
}

void StageCosts::change(std::uint32_t unit, int sign) {
  const Graph& graph = problem_.graph();
  for (const GroupId group : units_[unit].groups) {
    for (std::size_t d = 0; d < devices_.size(); ++d) {
      if (!problem_.groups().is_allowed(group, devices_[d])) sums_[d].barred_groups += sign;
    }
    for (const OpId op : problem_.groups().ops(group)) {
      params_bytes_ += sign * graph.op(op).params_bytes;
      gradient_bytes_ += sign * gradient_bytes_of_[op.index()];
      memory_.count_op(op, kStage, sign);
      for (std::size_t d = 0; d < devices_.size(); ++d) {
        const Picoseconds op_ps = sign * problem_.costs().op_ps(op, devices_[d]);
        sums_[d].work_ps += op_ps;
        if (once_[op.index()] != 0) sums_[d].once_ps += op_ps;
      }
      for (const TensorId tensor : graph.inputs(op)) {
        count(tensor, -1);
        states_[tensor.index()].consumers += static_cast<std::uint32_t>(sign);
        count(tensor, 1);
      }
      for (const TensorId tensor : graph.outputs(op)) {
        count(tensor, -1);
        states_[tensor.index()].is_made = sign > 0;
        count(tensor, 1);
      }
    }
  }
}

void StageCosts::count(TensorId tensor, int sign) {
  const Tensor& made = problem_.graph().tensor(tensor);
  const TensorState& state = states_[tensor.index()];
  if (made.bytes == 0) return;
  const bool leaves = state.is_made && state.consumers < made.consumers.size();
  const bool comes = !state.is_made && state.consumers > 0;
  if (state.is_made) memory_.count_made(tensor, kStage, leaves, sign);
  if (comes) memory_.count_received(tensor, kStage, sign);
  if ((state.is_made || comes) && memory_.stays(tensor)) waiting_bytes_ += sign * made.bytes;
  if (!leaves && !comes) return;
  for (std::size_t d = 0; d < devices_.size(); ++d) {
    const std::size_t at = tensor.index() * devices_.size() + d;
    if (leaves) sums_[d].sent_ps += sign * out_ps_[at];
    if (comes) sums_[d].received_ps += sign * in_ps_[at];
  }
}

bool StageCosts::is_beyond(std::size_t d, Picoseconds most_ps) const {
  const Device& device = problem_.topology().device(devices_[d]);
  return sums_[d].barred_groups > 0 || params_bytes_ > device.memory_bytes ||
         sums_[d].work_ps / device.slots > most_ps;
}

bool StageCosts::fits(std::size_t d) const {
  return sums_[d].barred_groups == 0 &&
         memory_.bytes(kStage) <= problem_.topology().device(devices_[d]).memory_bytes;
}

Picoseconds StageCosts::load_ps(std::size_t d) const {
  if (is_calls_) return call_ps(d);
  const Sums& sums = sums_[d];
  return pipeline_load(problem_.topology(), devices_[d], sums.work_ps, sums.sent_ps,
                       sums.received_ps);
}

Picoseconds StageCosts::call_ps(std::size_t d) const {
  const auto is_host = [&](DeviceId device) { return problem_.topology().device(device).host; };
  const auto at = devices_.begin() + static_cast<std::ptrdiff_t>(d);
  if (!is_host(*at)) return sums_[d].work_ps + sums_[d].sent_ps + sums_[d].received_ps;
  return paths_.longest_ps(static_cast<std::size_t>(std::count_if(devices_.begin(), at, is_host)));
}

Picoseconds StageCosts::step_load_ps(std::size_t d, std::int64_t micro_batches) const {
  const Sums& sums = sums_[d];
  const Picoseconds work_ps = micro_batches * (sums.work_ps - sums.once_ps) + sums.once_ps;
  return pipeline_load(problem_.topology(), devices_[d], work_ps, micro_batches * sums.sent_ps,
                       micro_batches * sums.received_ps);
}

double StageCosts::room(std::size_t d) const {
  if (sums_[d].barred_groups > 0) return -std::numeric_limits<double>::infinity();
  const auto waiting_bytes = static_cast<double>(std::max<std::int64_t>(waiting_bytes_, 1));
  const auto left_bytes = static_cast<double>(problem_.topology().device(devices_[d]).memory_bytes -
                                              memory_.bytes(kStage));
  return 1 + left_bytes / waiting_bytes;
}

}  // namespace placer

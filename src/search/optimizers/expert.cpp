// Layers of an LSTM model are found by structure: a group that uses a weight at several time steps
// is one, together with what no order of stages can part from it (pipeline_units).

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "placer/model/op_types.hpp"
#include "placer/search/optimizer.hpp"
#include "search/groups/device_packing.hpp"
#include "search/groups/group_costs.hpp"
#include "search/groups/pipeline_units.hpp"
#include "search/groups/topological_groups.hpp"

namespace placer {
namespace {

using Numbers = std::vector<std::optional<std::size_t>>;  // by unit

/// A whole layer in one op, such as "LSTM" or "EmuBidirLSTM".
bool is_recurrent_type(const Op& op) {
  constexpr std::array kEndings = {"LSTM", "lstm", "GRU", "gru", "RNN", "rnn"};
  return !op.backward && std::ranges::any_of(kEndings, [&](const char* ending) {
    return op.type.ends_with(ending);
  });
}

/// Whether the forward pass goes from `op`, on whatever way, to another op of `among`.
bool reaches_another(const Problem& problem, OpId op, const std::vector<OpId>& among) {
  const Graph& graph = problem.graph();
  Watch watch(problem.deadline());
  std::vector<char> seen(problem.op_count(), 0);
  std::vector<OpId> reached = {op};
  for (std::size_t i = 0; i < reached.size(); ++i) {
    for (const TensorId tensor : graph.outputs(reached[i])) {
      watch.check(graph.tensor(tensor).consumers.size() + 1);
      for (const OpId next : graph.tensor(tensor).consumers) {
        if (std::exchange(seen[next.index()], 1) != 0 || graph.op(next).backward) continue;
        if (std::ranges::find(among, next) != among.end()) return true;
        reached.push_back(next);
      }
    }
  }
  return false;
}

/// Whether one of the group's weights takes part in several products, one after the other.
bool uses_a_weight_again(const Problem& problem, GroupId group) {
  std::vector<OpId> products;
  std::size_t with_params = 0;
  for (const OpId id : problem.groups().ops(group)) {
    const Op& op = problem.graph().op(id);
    if (op.backward) continue;
    if (counts_as_product(op.type)) products.push_back(id);
    if (op.params_bytes > 0) ++with_params;
  }
  if (with_params == 0 || products.size() <= with_params) return false;
  const OpId first = *std::ranges::min_element(
      products, {}, [&](OpId op) { return problem.graph().program_position(op); });
  return reaches_another(problem, first, products);
}

bool is_recurrent(const Problem& problem, GroupId group) {
  return std::ranges::any_of(problem.groups().ops(group),
                             [&](OpId op) { return is_recurrent_type(problem.graph().op(op)); }) ||
         uses_a_weight_again(problem, group);
}

/// The recurrent layers, numbered in program order; empty for other units.
Numbers recurrent_layers(const Problem& problem, const std::vector<PipelineUnit>& units) {
  std::vector<std::size_t> unit_of(problem.groups().size());
  for (std::size_t unit = 0; unit < units.size(); ++unit) {
    for (const GroupId group : units[unit].groups) unit_of[group.index()] = unit;
  }
  Numbers layers(units.size());
  std::size_t count = 0;
  for (const GroupId group : topological_groups(problem)) {
    std::optional<std::size_t>& layer = layers[unit_of[group.index()]];
    if (!layer && is_recurrent(problem, group)) layer = count++;
  }
  return layers;
}

/// What is no layer goes with the last layer before it, or with the first that it leads to.
void join_layers(const std::vector<PipelineUnit>& units, Numbers& layers) {
  for (std::size_t unit = 0; unit < units.size(); ++unit) {
    if (layers[unit]) continue;
    for (const std::uint32_t before : units[unit].before) {
      layers[unit] = std::max(layers[unit], layers[before]);  // none is the least
    }
  }
  for (std::size_t unit = units.size(); unit-- > 0;) {
    if (layers[unit]) continue;
    for (const std::uint32_t after : units[unit].after) {
      if (!layers[unit] || layers[after] < layers[unit]) layers[unit] = layers[after];
    }
  }
}

/// By unit: each layer has a share of its own or, where there are more, as many layers in a row as
/// every other.
std::vector<std::size_t> shares_by_layer(const std::vector<PipelineUnit>& units, Numbers layers,
                                         std::size_t shares) {
  const std::size_t count = **std::ranges::max_element(layers) + 1;
  join_layers(units, layers);
  std::vector<std::size_t> share_of;
  for (const std::optional<std::size_t>& layer : layers) {
    share_of.push_back(layer.value_or(0) * std::min(shares, count) / count);
  }
  return share_of;
}

/// By unit: units in a row, each share with as much work; a unit goes where its middle lies.
std::vector<std::size_t> shares_by_work(const Problem& problem,
                                        const std::vector<PipelineUnit>& units,
                                        std::size_t shares) {
  std::vector<double> middle_ps;
  double work_ps = 0;
  for (const PipelineUnit& unit : units) {
    double own_ps = 0;
    for (const GroupId group : unit.groups) {
      own_ps += static_cast<double>(least_group_ps(problem, group));
    }
    middle_ps.push_back(work_ps + own_ps / 2);
    work_ps += own_ps;
  }
  std::vector<std::size_t> share_of;
  for (const double at_ps : middle_ps) {
    const double share = work_ps > 0 ? at_ps / work_ps * static_cast<double>(shares) : 0;
    share_of.push_back(std::min(static_cast<std::size_t>(share), shares - 1));
  }
  return share_of;
}

/// `wish`, or where the group may not go there, the first of `devices` or of all where it may.
DeviceId nearest(const Problem& problem, GroupId group, DeviceId wish,
                 const std::vector<DeviceId>& devices) {
  const Groups& groups = problem.groups();
  if (groups.is_allowed(group, wish)) return wish;
  const auto other = std::ranges::find_if(
      devices, [&](DeviceId device) { return groups.is_allowed(group, device); });
  return other == devices.end() ? groups.allowed(group).front() : *other;
}

void run(Search& search) {
  const Problem& problem = search.problem();
  const std::vector<PipelineUnit> units = pipeline_units(problem);
  const std::vector<DeviceId> devices = fast_devices(problem);
  const Numbers layers = recurrent_layers(problem, units);
  const bool recurrent =
      std::ranges::any_of(layers, [](const auto& layer) { return layer.has_value(); });
  const std::vector<std::size_t> share_of = recurrent
                                                ? shares_by_layer(units, layers, devices.size())
                                                : shares_by_work(problem, units, devices.size());
  Placement placement{std::vector<DeviceId>(problem.groups().size())};
  for (std::size_t unit = 0; unit < units.size(); ++unit) {
    for (const GroupId group : units[unit].groups) {
      placement[group] = nearest(problem, group, devices[share_of[unit]], devices);
    }
  }
  search.evaluate(placement);
}

}  // namespace

Optimizer expert() {
  return make_optimizer(
      {.summary = "what a human expert does: a recurrent layer to each GPU, with what follows it; "
                  "other models in contiguous shares of equal work",
       .unfit_for = "models of which such a share fits no device, as memory does not count",
       .source = "Mirhoseini et al.: Device Placement Optimization with Reinforcement Learning, "
                 "ICML 2017",
       .departs = "Attention goes with the last layer that it reads; shares are equal in work, not "
                  "in numbers of layers.",
       .deterministic = true,
       .anytime = true},
      run);
}

}  // namespace placer

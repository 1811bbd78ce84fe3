#include "io/plans/target.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "placer/base/quantity.hpp"
#include "placer/base/text.hpp"

namespace placer {
namespace {

constexpr std::string_view kExperts = " experts";  // behind the name of their layer

ModelUnits with_joined_ends(const ModelUnits& units) {
  const auto is_layer = [](const auto& unit) { return unit.is_layer; };
  const auto first = std::ranges::find_if(units.units, is_layer);
  if (first == units.units.end()) return units;
  const auto last = std::find_if(units.units.rbegin(), units.units.rend(), is_layer).base() - 1;
  ModelUnits joined{{}, std::vector<std::size_t>(units.of.size()), units.are_modules};
  std::vector<std::size_t> place(units.units.size());
  for (std::size_t unit = 0; unit < place.size(); ++unit) {
    if (!units.units[unit].is_layer) continue;
    place[unit] = joined.units.size();
    joined.units.push_back(units.units[unit]);
  }
  for (std::size_t unit = 0; unit < place.size(); ++unit) {
    const auto end = units.units[unit].name == "output" ? last : first;
    if (!units.units[unit].is_layer)
      place[unit] = place[static_cast<std::size_t>(end - units.units.begin())];
  }
  for (std::size_t op = 0; op < joined.of.size(); ++op) joined.of[op] = place[units.of[op]];
  return joined;
}

/// Whether the op is of an expert of the layer: in a module such as experts.3 or expert3.
bool is_of_expert(const Op& op, const std::string& layer) {
  const std::string path = module_path(op);
  if (!is_within(path, layer)) return false;
  const std::vector<std::string> names = split(path.substr(layer.size()), '.');
  return std::ranges::any_of(names, [](const auto& name) { return name.starts_with("expert"); });
}

ModelUnits with_experts_apart(const Graph& graph, ModelUnits units) {
  std::map<std::size_t, std::size_t> experts;  // by layer
  for (const OpId op : graph.program_order()) {
    std::size_t& unit = units.of[op.index()];
    if (!units.units[unit].is_layer || !is_of_expert(graph.op(op), units.units[unit].name)) {
      continue;
    }
    const auto [at, is_new] = experts.emplace(unit, units.units.size());
    if (is_new) units.units.push_back({units.units[unit].name + std::string(kExperts), false});
    unit = at->second;
  }
  return units;
}

}  // namespace

std::vector<DeviceId> accelerators(const Topology& devices) {
  std::vector<DeviceId> list;
  for (const DeviceId id : IdRange<DeviceId>(devices.devices().size())) {
    if (!is_cpu(devices.device(id))) list.push_back(id);
  }
  return list;
}

std::size_t accelerator_number(const Topology& devices, DeviceId device) {
  const std::vector<DeviceId> list = accelerators(devices);
  return static_cast<std::size_t>(std::ranges::find(list, device) - list.begin());
}

std::optional<DeviceId> first_cpu(const Topology& devices) {
  for (const DeviceId id : IdRange<DeviceId>(devices.devices().size())) {
    if (is_cpu(devices.device(id))) return id;
  }
  return std::nullopt;
}

ModelUnits units_for(const PlanTarget& target, const Graph& graph) {
  ModelUnits units = model_units(graph, *target.units);
  if (target.joins_ends) units = with_joined_ends(units);
  if (target.parts_experts) units = with_experts_apart(graph, std::move(units));
  return units;
}

bool holds_experts(const ModelUnits::Unit& unit) { return unit.name.ends_with(kExperts); }

std::vector<LayerExperts> experts_of(const ModelUnits& units) {
  std::vector<LayerExperts> all;
  std::size_t layer = 0;
  for (std::size_t unit = 0; unit < units.units.size(); ++unit) {
    if (!units.units[unit].is_layer) continue;
    const std::string name = units.units[unit].name + std::string(kExperts);
    const auto experts = std::ranges::find(units.units, name, &ModelUnits::Unit::name);
    if (experts != units.units.end()) {
      all.push_back({layer, unit, static_cast<std::size_t>(experts - units.units.begin())});
    }
    ++layer;
  }
  return all;
}

bool is_made_up(const std::string& name) {
  if (name.find_first_of(":/") != std::string::npos || name.starts_with("val_")) return true;
  return name.find('.') == std::string::npos && name.back() >= '0' && name.back() <= '9';
}

std::string module_around(const Op& op) {
  const std::string own = module_path(op);
  return own.substr(0, own.find('.') == own.npos ? 0 : own.rfind('.'));
}

std::vector<OpId> folded_convolutions(const PlacedModel& model) {
  std::vector<OpId> found;
  for (const OpId id : IdRange<OpId>(model.problem.op_count())) {
    const Op& op = model.problem.graph().op(id);
    const std::string own = module_path(op), around = module_around(op);
    const auto is_foreign = [&](const std::string& name) {
      return is_made_up(name) || !is_within(name, own);
    };
    const auto covers = [&](const auto& unit) { return is_within(around, unit.name); };
    if (op.type.starts_with("conv") && std::ranges::any_of(op.params, is_foreign) &&
        std::ranges::none_of(model.units.units, covers)) {
      found.push_back(id);
    }
  }
  return found;
}

std::map<std::string, DeviceId> loose_parameters(const PlacedModel& model) {
  std::map<std::string, DeviceId> loose;
  for (const OpId id : IdRange<OpId>(model.problem.op_count())) {
    for (const std::string& name : model.problem.graph().op(id).params) {
      const auto covers = [&](const auto& unit) { return is_within(name, unit.name); };
      if (is_made_up(name) || std::ranges::any_of(model.units.units, covers)) continue;
      loose.emplace(name, model.devices[model.units.of[id.index()]]);
    }
  }
  return loose;
}

std::vector<DeviceId> stages_of(const PlacedModel& model) {
  std::vector<DeviceId> stages;
  for (const DeviceId device : model.devices) {
    if (std::ranges::count(stages, device) == 0) stages.push_back(device);
  }
  return stages;
}

std::size_t layers_on(const PlacedModel& model, DeviceId device) {
  std::size_t layers = 0;
  for (std::size_t unit = 0; unit < model.devices.size(); ++unit) {
    layers += model.devices[unit] == device && model.units.units[unit].is_layer;
  }
  return layers;
}

std::vector<std::size_t> parse_counts(const std::string& text, const std::string& file,
                                      const std::string& place) {
  std::vector<std::size_t> counts;
  for (const std::string& part : split(text, ',')) {
    const std::optional<double> count = parse_quantity(trimmed(part), Measure::kPlain);
    if (!count || *count < 0 || *count > 1e6 ||
        *count != static_cast<double>(static_cast<std::size_t>(*count))) {
      fail_plan(file, place, "counts such as 20,12", "'" + one_line(text, 60) + "'");
    }
    counts.push_back(static_cast<std::size_t>(*count));
  }
  return counts;
}

std::vector<DeviceId> devices_of_ops(const ModelUnits& units,
                                     const std::vector<DeviceId>& devices) {
  std::vector<DeviceId> by_op;
  for (const std::size_t unit : units.of) by_op.push_back(devices[unit]);
  return by_op;
}

void fail_plan(const std::string& file, const std::string& place, const std::string& expected,
               const std::string& found) {
  throw Error(fmt::format("{}: {}: expected {}, found {}", file, place, expected, found));
}

}  // namespace placer

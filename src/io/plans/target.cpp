#include "io/plans/target.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "placer/base/quantity.hpp"
#include "placer/base/text.hpp"

namespace placer {

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
  if (!target.joins_ends) return units;
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
    const std::optional<double> count = parse_quantity(part, Measure::kPlain);
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

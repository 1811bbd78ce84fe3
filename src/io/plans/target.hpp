#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "placer/base/errors.hpp"
#include "placer/io/plan.hpp"
#include "placer/model/cpus.hpp"

namespace placer {

/// In the order of the spec, which is that of their numbers in frameworks.
std::vector<DeviceId> accelerators(const Topology& devices);
/// The number of an accelerator in frameworks; it is one.
std::size_t accelerator_number(const Topology& devices, DeviceId device);
std::optional<DeviceId> first_cpu(const Topology& devices);

/// The units of a target that has some.
ModelUnits units_for(const PlanTarget& target, const Graph& graph);

/// The experts of a layer that are a unit of their own.
struct LayerExperts {
  std::size_t layer = 0;       // its number among the layers
  std::size_t layer_unit = 0;  // its unit
  std::size_t unit = 0;        // theirs
};
std::vector<LayerExperts> experts_of(const ModelUnits& units);
bool holds_experts(const ModelUnits::Unit& unit);

/// The parameters that no unit covers, such as cls_token, with the devices of the ops that read
/// them.
std::map<std::string, DeviceId> loose_parameters(const PlacedModel& model);

/// Whether an exporter made the parameter's name up for a constant.
bool is_made_up(const std::string& parameter);

/// The convolutions that may have taken in a batch norm (an exporter then names their weights, or
/// the bias that they get) which the file does not name any more and no unit has inside it.
std::vector<OpId> folded_convolutions(const PlacedModel& model);
/// The module in which the op's own module is; empty for the whole model.
std::string module_around(const Op& op);

/// The devices that have units, in the order of their first ones.
std::vector<DeviceId> stages_of(const PlacedModel& model);
/// How many layers a device has.
std::size_t layers_on(const PlacedModel& model, DeviceId device);

/// The integers between commas. Throws Error: "FILE: PLACE: expected counts ...".
std::vector<std::size_t> parse_counts(const std::string& text, const std::string& file,
                                      const std::string& place);

/// By op, from the device of each unit.
std::vector<DeviceId> devices_of_ops(const ModelUnits& units, const std::vector<DeviceId>& devices);

[[noreturn]] void fail_plan(const std::string& file, const std::string& place,
                            const std::string& expected, const std::string& found);

}  // namespace placer

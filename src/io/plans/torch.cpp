// PyTorch: the modules of each stage of a pipeline. split_spec is what torch.distributed.pipelining
// takes (each module begins a stage, SplitPoint.BEGINNING), module_fqns_per_model_part what
// torchtitan takes.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "io/json/writer.hpp"
#include "io/plans/target.hpp"
#include "placer/base/text.hpp"
#include "placer/io/json_reader.hpp"

namespace placer {
namespace {

constexpr std::string_view kParts = "module_fqns_per_model_part";

std::string write(const PlacedModel& model) {
  const std::vector<DeviceId> stages = stages_of(model);
  JsonWriter writer;
  writer.begin_object(JsonWriter::Layout::kLines);
  writer.key("devices");
  writer.begin_array();
  for (const DeviceId device : stages) writer.value(model.problem.topology().device(device).name);
  writer.end_array();
  writer.key("split_spec");
  writer.begin_object(JsonWriter::Layout::kLines);
  for (std::size_t i = 1; i < stages.size(); ++i) {
    const auto first = std::ranges::find(model.devices, stages[i]) - model.devices.begin();
    writer.member(model.units.units[static_cast<std::size_t>(first)].name, "beginning");
  }
  writer.end_object();
  writer.key(kParts);
  writer.begin_array(JsonWriter::Layout::kLines);
  for (const DeviceId device : stages) {
    writer.begin_array();
    for (std::size_t unit = 0; unit < model.devices.size(); ++unit) {
      if (model.devices[unit] == device) writer.value(model.units.units[unit].name);
    }
    writer.end_array();
  }
  writer.end_array();
  writer.end_object();
  return std::move(writer).take() + "\n";
}

std::vector<DeviceId> stage_devices(const std::optional<JsonCursor>& given,
                                    const Topology& devices) {
  if (!given) return accelerators(devices);
  std::vector<DeviceId> stages;
  given->for_each_element([&](const JsonCursor& each) {
    const std::string name = each.take_text();
    const std::optional<DeviceId> device = devices.find(name);
    if (!device) each.fail("a device of the spec", "'" + one_line(name, 60) + "'");
    stages.push_back(*device);
  });
  return stages;
}

std::vector<DeviceId> read(const std::string& text, const std::string& file,
                           const Problem& problem) {
  JsonValue root = parse_json(text, file);
  const JsonCursor cursor(root, file);
  JsonObject object(cursor);
  const std::vector<DeviceId> stages = stage_devices(object.find("devices"), problem.topology());
  object.find("split_spec");
  const ModelUnits units = model_units(problem.graph(), UnitDetail::kModules);
  std::map<std::string, std::size_t> stage_of;
  std::size_t stage = 0;
  object.required(kParts).for_each_element([&](const JsonCursor& part) {
    if (stage == stages.size()) {
      part.fail(fmt::format("at most {} stages, as there are devices", stages.size()), "more");
    }
    part.for_each_element([&](const JsonCursor& module) {
      std::string name = module.take_text();
      const auto fits = [&](const auto& unit) { return is_within(unit.name, name); };
      if (std::ranges::none_of(units.units, fits)) {
        module.fail("a module of the graph", "'" + one_line(name, 80) + "'");
      }
      stage_of[std::move(name)] = stage;
    });
    ++stage;
  });
  object.no_other_keys();
  std::vector<DeviceId> by_unit;
  for (const auto& unit : units.units) {
    const auto at = std::ranges::find_if(
        stage_of, [&](const auto& each) { return is_within(unit.name, each.first); });
    if (at == stage_of.end()) {
      fail_plan(file, std::string(kParts), "every module in a part",
                fmt::format("none with '{}'", one_line(unit.name, 80)));
    }
    by_unit.push_back(stages[at->second]);
  }
  return devices_of_ops(units, by_unit);
}

}  // namespace

PlanTarget torch_target() {
  return {.name = {},
          .summary = "stages of torch.distributed.pipelining and torchtitan",
          .units = UnitDetail::kModules,
          .in_stages = true,
          .needs_modules = true,
          .write = write,
          .read = read};
}

}  // namespace placer

// PyTorch: the modules of each stage of a pipeline. split_spec is what torch.distributed.pipelining
// takes (each module begins a stage, SplitPoint.BEGINNING), module_fqns_per_model_part what
// torchtitan takes.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "io/json/writer.hpp"
#include "io/plans/target.hpp"
#include "placer/base/text.hpp"
#include "placer/io/json_reader.hpp"

namespace placer {
namespace {

constexpr std::string_view kParts = "module_fqns_per_model_part", kPoints = "split_spec";
constexpr std::string_view kSplitPoint = "splitpoint.", kBeginning = "beginning", kEnd = "end";

/// Modules whose ops were folded away, such as rotary embeddings. What is around units has
/// parameters of its own wherever these are.
std::map<std::string, DeviceId> loose_modules(const PlacedModel& model) {
  std::map<std::string, DeviceId> modules;
  for (const auto& [name, device] : loose_parameters(model)) {
    const std::string module = name.substr(0, std::min(name.rfind('.'), name.size()));
    const auto is_inside = [&](const auto& unit) { return is_within(unit.name, module); };
    if (module == name || std::ranges::any_of(model.units.units, is_inside)) continue;
    modules.emplace(module, device);
  }
  return modules;
}

std::string write(const PlacedModel& model) {
  const std::vector<DeviceId> stages = stages_of(model);
  const std::map<std::string, DeviceId> loose = loose_modules(model);
  JsonWriter writer;
  writer.begin_object(JsonWriter::Layout::kLines);
  writer.key("devices");
  writer.begin_array();
  for (const DeviceId device : stages) writer.value(model.problem.topology().device(device).name);
  writer.end_array();
  writer.key(kPoints);
  writer.begin_object(JsonWriter::Layout::kLines);
  for (std::size_t i = 1; i < stages.size(); ++i) {
    const auto first = std::ranges::find(model.devices, stages[i]) - model.devices.begin();
    writer.member(model.units.units[static_cast<std::size_t>(first)].name, kBeginning);
  }
  writer.end_object();
  writer.key(kParts);
  writer.begin_array(JsonWriter::Layout::kLines);
  for (const DeviceId device : stages) {
    writer.begin_array();
    for (std::size_t unit = 0; unit < model.devices.size(); ++unit) {
      if (model.devices[unit] == device) writer.value(model.units.units[unit].name);
    }
    for (const auto& [module, on] : loose) {
      if (on == device) writer.value(module);
    }
    writer.end_array();
  }
  writer.end_array();
  writer.end_object();
  return std::move(writer).take() + "\n";
}

/// A module that no part names is missing in all of them.
std::string left_out(const PlacedModel& model) {
  const std::vector<OpId> folded = folded_convolutions(model);
  if (folded.empty()) return "";
  return fmt::format(
      "the graph does not name the batch norms that may be folded into {} of its "
      "convolutions, such as that of '{}': add each to the part of its convolution",
      folded.size(), one_line(module_path(model.problem.graph().op(folded.front())), 80));
}

std::vector<DeviceId> stage_devices(const std::optional<JsonCursor>& given,
                                    const Topology& devices) {
  if (!given) return accelerators(devices);
  std::vector<DeviceId> stages;
  given->for_each_element([&](const JsonCursor& each) {
    const std::string name(each.text());
    const std::optional<DeviceId> device = devices.find(name);
    if (!device) each.fail("a device of the spec", "'" + one_line(name, 60) + "'");
    stages.push_back(*device);
  });
  return stages;
}

[[noreturn]] void fail_stages(const JsonCursor& cursor, std::size_t most) {
  cursor.fail(fmt::format("at most {} stages, as there are devices", most), "more");
}

/// The first and the last of the units in a module, of which there are some.
std::pair<std::size_t, std::size_t> units_within(const std::string& module, const ModelUnits& units,
                                                 const JsonCursor& cursor) {
  const auto fits = [&](const auto& unit) { return is_within(unit.name, module); };
  const auto first = std::ranges::find_if(units.units, fits);
  if (first == units.units.end()) {
    cursor.fail("a module of the graph", "'" + one_line(module, 80) + "'");
  }
  const auto last = std::find_if(units.units.rbegin(), units.units.rend(), fits).base() - 1;
  return {static_cast<std::size_t>(first - units.units.begin()),
          static_cast<std::size_t>(last - units.units.begin())};
}

std::string module_of(const ModelUnits& units, std::size_t unit) {
  return one_line(units.units[unit].name, 80);
}

bool holds_parameters(const std::string& module, const Graph& graph) {
  return std::ranges::any_of(graph.ops(), [&](const Op& op) {
    return std::ranges::any_of(op.params,
                               [&](const auto& name) { return is_within(name, module); });
  });
}

/// The stage of each unit, from the modules of each part.
std::vector<std::size_t> stages_of_parts(const JsonCursor& parts, const ModelUnits& units,
                                         const Graph& graph, const std::string& file,
                                         std::size_t most) {
  std::map<std::string, std::size_t> stage_of;
  std::size_t stage = 0;
  parts.for_each_element([&](const JsonCursor& part) {
    if (stage == most) fail_stages(part, most);
    part.for_each_element([&](const JsonCursor& module) {
      std::string name(module.text());
      if (!holds_parameters(name, graph)) units_within(name, units, module);
      stage_of[std::move(name)] = stage;
    });
    ++stage;
  });
  std::vector<std::size_t> stages;
  for (const auto& unit : units.units) {
    const auto at = std::find_if(  // the longest name comes last
        stage_of.rbegin(), stage_of.rend(),
        [&](const auto& each) { return is_within(unit.name, each.first); });
    if (at == stage_of.rend()) {
      fail_plan(file, std::string(kParts), "every module in a part",
                fmt::format("none with '{}'", one_line(unit.name, 80)));
    }
    stages.push_back(at->second);
  }
  return stages;
}

/// Parts run one after the other, in the order of the model.
void check_order(const std::vector<std::size_t>& stages, const ModelUnits& units,
                 const std::string& file) {
  const auto at = std::ranges::is_sorted_until(stages);
  if (at == stages.end()) return;
  const auto unit = static_cast<std::size_t>(at - stages.begin());
  fail_plan(file, std::string(kParts), "parts in the order of the model",
            fmt::format("'{}' in part {} and '{}', which comes before it, in part {}",
                        module_of(units, unit), *at, module_of(units, unit - 1), stages[unit - 1]));
}

/// Where both ways of saying the stages are there.
void check_agreement(const std::vector<std::size_t>& points, const std::vector<std::size_t>& parts,
                     const ModelUnits& units, const std::string& file) {
  const auto at = std::ranges::mismatch(points, parts).in1;
  if (at == points.end()) return;
  const auto unit = static_cast<std::size_t>(at - points.begin());
  fail_plan(file, std::string(kPoints), fmt::format("the stages of {}", kParts),
            fmt::format("'{}' in stage {}, there in {}", module_of(units, unit), *at, parts[unit]));
}

/// The same from modules that begin or end a stage, as SplitPoint says.
std::vector<std::size_t> stages_of_points(const JsonCursor& points, const ModelUnits& units,
                                          std::size_t most) {
  std::set<std::size_t> begins;  // units that are the first of a stage, but for the first of all
  points.for_each_member([&](std::string_view name, const JsonCursor& value) {
    const auto [first, last] = units_within(std::string(name), units, value);
    std::string point(value.text());
    std::ranges::transform(point, point.begin(), [](char letter) {
      return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
    });
    if (point.starts_with(kSplitPoint)) point.erase(0, kSplitPoint.size());
    if (point != kBeginning && point != kEnd) {
      value.fail("beginning or end", "'" + one_line(point, 40) + "'");
    }
    const std::size_t begin = point == kBeginning ? first : last + 1;
    if (begin == 0 || begin == units.units.size()) {
      value.fail("a point with modules before and behind it",
                 fmt::format("the {} of the model", begin == 0 ? "beginning" : "end"));
    }
    begins.insert(begin);
    if (begins.size() == most) fail_stages(value, most);
  });
  std::vector<std::size_t> stages;
  std::size_t stage = 0;
  for (std::size_t unit = 0; unit < units.units.size(); ++unit) {
    stage += begins.count(unit);
    stages.push_back(stage);
  }
  return stages;
}

std::vector<DeviceId> read(const std::string& text, const std::string& file,
                           const Problem& problem) {
  const JsonDocument root = parse_json(text, file);
  const JsonCursor cursor(root, file);
  JsonObject object(cursor);
  const std::vector<DeviceId> devices = stage_devices(object.find("devices"), problem.topology());
  const ModelUnits units = model_units(problem.graph(), UnitDetail::kModules);
  const std::optional<JsonCursor> points = object.find(kPoints), parts = object.find(kParts);
  if (!points && !parts) {
    fail_plan(file, "plan", fmt::format("{} or {}", kPoints, kParts), "neither");
  }
  std::vector<std::size_t> stages;
  if (points) stages = stages_of_points(*points, units, devices.size());
  if (parts) {
    const std::vector<std::size_t> listed =
        stages_of_parts(*parts, units, problem.graph(), file, devices.size());
    check_order(listed, units, file);
    if (points) check_agreement(stages, listed, units, file);
    stages = listed;
  }
  object.no_other_keys();
  std::vector<DeviceId> by_unit;
  for (const std::size_t stage : stages) by_unit.push_back(devices[stage]);
  return devices_of_ops(units, by_unit);
}

}  // namespace

PlanTarget torch_target() {
  return {.name = {},
          .summary = "stages of torch.distributed.pipelining and torchtitan",
          .units = UnitDetail::kModules,
          .in_stages = true,
          .in_order = true,
          .needs_modules = true,
          .write = write,
          .left_out = left_out,
          .read = read};
}

}  // namespace placer

// Hugging Face Accelerate: device_map, a JSON object from modules (or single parameters) to the
// numbers of accelerators, "cpu" or "disk"; the longest name that fits a parameter decides.
// huggingface.co/docs/accelerate/concept_guides/big_model_inference
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "io/json/writer.hpp"
#include "io/plans/accelerate.hpp"
#include "io/plans/target.hpp"
#include "placer/base/text.hpp"
#include "placer/io/json_reader.hpp"

namespace placer {
namespace {

void write_device(const Topology& devices, DeviceId device, JsonWriter& writer) {
  const Device& chosen = devices.device(device);
  if (is_cpu(chosen)) {
    writer.value("cpu");
  } else if (chosen.type == "disk") {
    writer.value("disk");
  } else {
    writer.value(accelerator_number(devices, device));
  }
}

/// The modules outside of all units in which such batch norms are, which the file does not name any
/// more.
std::map<std::string, DeviceId> folded_modules(const PlacedModel& model) {
  std::map<std::string, DeviceId> modules;
  for (const OpId id : folded_convolutions(model)) {
    modules.emplace(module_around(model.problem.graph().op(id)),
                    model.devices[model.units.of[id.index()]]);
  }
  return modules;
}

std::string write(const PlacedModel& model) {
  const Topology& devices = model.problem.topology();
  JsonWriter writer;
  writer.begin_object(JsonWriter::Layout::kLines);
  for (const auto& [name, device] : folded_modules(model)) {
    writer.key(name);
    write_device(devices, device, writer);
  }
  for (std::size_t unit = 0; unit < model.devices.size(); ++unit) {
    writer.key(model.units.units[unit].name);
    write_device(devices, model.devices[unit], writer);
  }
  for (const auto& [name, device] : loose_parameters(model)) {
    writer.key(name);
    write_device(devices, device, writer);
  }
  writer.end_object();
  return std::move(writer).take() + "\n";
}

DeviceId read_device(const JsonCursor& cursor, const Topology& devices) {
  const std::vector<DeviceId> numbered = accelerators(devices);
  std::string text;
  if (cursor.is_text()) {
    text = cursor.text();
    if (const auto known = devices.find(text)) return *known;
    for (const DeviceId id : IdRange<DeviceId>(devices.devices().size())) {
      if (devices.device(id).type == text && text != "gpu") return id;
    }
    if (text.starts_with("cuda:")) {
      const std::size_t number = parse_counts(text.substr(5), cursor.file(), cursor.path()).front();
      if (number < numbered.size()) return numbered[number];
    }
    text = "'" + one_line(text, 40) + "'";
  } else {
    const std::int64_t number = cursor.integer(0);
    if (static_cast<std::size_t>(number) < numbered.size()) {
      return numbered[static_cast<std::size_t>(number)];
    }
    text = fmt::format("{}", number);
  }
  cursor.fail(numbered.empty() ? "a device of the spec, by its name"
                               : fmt::format("a device of the spec: 0 to {}, or a name",
                                             std::ssize(numbered) - 1),
              text);
}

class DeviceMap {
 public:
  DeviceMap(const std::string& text, const std::string& file, const Problem& problem)
      : problem_(problem), file_(file) {
    const JsonDocument root = parse_json(text, file);
    const auto read = [&](std::string_view name, const JsonCursor& value) {
      devices_.emplace(name, read_device(value, problem.topology()));
    };
    JsonCursor(root, file).for_each_member(read, true);  // "" is the whole model
    if (devices_.empty()) fail_plan(file, "device_map", "at least one module", "none");
  }

  std::vector<DeviceId> read() {
    const Graph& graph = problem_.graph();
    const ModelUnits units = model_units(graph, UnitDetail::kModules);
    std::vector<std::optional<DeviceId>> by_op;
    std::vector<std::optional<DeviceId>> by_unit(units.units.size());
    for (const OpId id : IdRange<OpId>(graph.ops().size())) {
      by_op.push_back(device_of(graph.op(id)));
      auto& of_unit = by_unit[units.of[id.index()]];
      if (!of_unit) of_unit = by_op.back();
    }
    for (const auto& [name, device] : devices_) {
      if (used_.contains(name) || is_around(name)) continue;
      fail_plan(file_, "'" + one_line(name, 80) + "'",
                fmt::format("a module or parameter of {}",
                            graph.name().empty() ? "the graph" : graph.name()),
                "none of that name");
    }
    std::vector<DeviceId> devices;
    for (const OpId id : IdRange<OpId>(graph.ops().size())) {
      const auto device = by_op[id.index()] ? by_op[id.index()] : by_unit[units.of[id.index()]];
      if (!device && graph.op(id).params_bytes > 0) fail_uncovered(graph.op(id));
      devices.push_back(device.value_or(devices_.begin()->second));
    }
    return devices;
  }

 private:
  /// Whether the module has modules, though all of them may have their own devices.
  bool is_around(const std::string& module) const {
    return std::ranges::any_of(problem_.graph().ops(),
                               [&](const Op& op) { return is_within(module_path(op), module); });
  }

  /// By the longest name that the op's module is within, else by its first parameter's.
  std::optional<DeviceId> device_of(const Op& op) {
    std::optional<DeviceId> device = longest(module_path(op));
    for (const std::string& name : op.params) {
      if (!device) device = longest(name);
      if (devices_.contains(name)) used_.insert(name);
    }
    return device;
  }

  std::optional<DeviceId> longest(std::string path) {
    while (true) {
      if (const auto at = devices_.find(path); at != devices_.end()) {
        used_.insert(path);
        return at->second;
      }
      if (path.empty()) return std::nullopt;
      const std::size_t dot = path.rfind('.');
      path.resize(dot == std::string::npos ? 0 : dot);
    }
  }

  [[noreturn]] void fail_uncovered(const Op& op) const {
    const std::string& what = op.params.empty() ? op.name : op.params.front();
    fail_plan(file_, "device_map", "a device for every parameter",
              fmt::format("none for '{}'", one_line(what, 80)));
  }

  const Problem& problem_;
  const std::string& file_;
  std::map<std::string, DeviceId> devices_;
  std::set<std::string> used_;
};

std::vector<DeviceId> read(const std::string& text, const std::string& file,
                           const Problem& problem) {
  return DeviceMap(text, file, problem).read();
}

}  // namespace

PlanTarget hf_target() {
  return {.name = {},
          .summary = "Hugging Face's device_map of modules (from_pretrained, dispatch_model)",
          .units = UnitDetail::kModules,
          .needs_modules = true,
          .cpus = PlanTarget::Cpus::kOffload,
          .write = write,
          .defaults = accelerate_plans,
          .read = read};
}

}  // namespace placer

// Plans that name a device for each node of the source file: ONNX Runtime's sessions and the
// affinities of OpenVINO's HETERO plugin (docs.openvino.ai, "Heterogeneous Execution").
#include <fmt/format.h>

#include <map>
#include <set>

#include "io/json/writer.hpp"
#include "io/plans/target.hpp"
#include "placer/base/text.hpp"
#include "placer/io/json_reader.hpp"

namespace placer {
namespace {

std::string ort_device(const Topology& devices, DeviceId device) {
  if (is_cpu(devices.device(device))) return "CPUExecutionProvider";
  return fmt::format("CUDAExecutionProvider:{}", accelerator_number(devices, device));
}

std::string openvino_device(const Topology& devices, DeviceId device) {
  if (is_cpu(devices.device(device))) return "CPU";
  return fmt::format("GPU.{}", accelerator_number(devices, device));
}

using DeviceNames = std::string (*)(const Topology&, DeviceId);

std::string write(const PlacedModel& model, DeviceNames name_of) {
  const Problem& problem = model.problem;
  JsonWriter writer;
  writer.begin_object(JsonWriter::Layout::kLines);
  std::set<std::string> named;
  for (const OpId op : IdRange<OpId>(problem.op_count())) {
    const DeviceId device = model.placement[problem.groups().of(op)];
    for (const std::string& node : nodes_of(problem.graph().op(op))) {
      if (!named.insert(node).second) {
        throw Error(fmt::format("expected nodes with a name each, found two of name '{}'",
                                one_line(node, 80)));
      }
      writer.member(node, name_of(problem.topology(), device));
    }
  }
  writer.end_object();
  return std::move(writer).take() + "\n";
}

std::vector<DeviceId> read(const std::string& text, const std::string& file, const Problem& problem,
                           DeviceNames name_of) {
  std::map<std::string, DeviceId> known;
  std::vector<std::string> names;
  for (const DeviceId id : IdRange<DeviceId>(problem.device_count())) {
    if (known.emplace(name_of(problem.topology(), id), id).second) {
      names.push_back(name_of(problem.topology(), id));
    }
  }
  std::map<std::string, OpId> op_of;
  for (const OpId op : IdRange<OpId>(problem.op_count())) {
    for (const std::string& node : nodes_of(problem.graph().op(op))) op_of.emplace(node, op);
  }
  std::vector<std::optional<DeviceId>> devices(problem.op_count());
  const JsonDocument root = parse_json(text, file);
  JsonCursor(root, file).for_each_member([&](std::string_view node, const JsonCursor& value) {
    const auto op = op_of.find(std::string(node));
    if (op == op_of.end()) value.fail("a node of the graph", "'" + one_line(node, 80) + "'");
    const std::string name(value.text());
    const auto device = known.find(name);
    if (device == known.end()) {
      value.fail("one of " + join(names), "'" + one_line(name, 60) + "'");
    }
    auto& chosen = devices[op->second.index()];
    if (!chosen) chosen = device->second;
  });
  // Both run what is not named on the CPU, and inputs where they are read.
  const DeviceId rest = first_cpu(problem.topology()).value_or(DeviceId(0));
  std::vector<DeviceId> by_op;
  for (const OpId op : IdRange<OpId>(problem.op_count())) {
    if (!devices[op.index()] && nodes_of(problem.graph().op(op)).empty()) {
      for (const TensorId tensor : problem.graph().outputs(op)) {
        for (const OpId reader : problem.graph().tensor(tensor).consumers) {
          if (!devices[op.index()]) devices[op.index()] = devices[reader.index()];
        }
      }
    }
    by_op.push_back(devices[op.index()].value_or(rest));
  }
  return by_op;
}

}  // namespace

PlanTarget ort_target() {
  return {.name = {},
          .summary = "ONNX Runtime's execution provider and device of each node",
          .write = [](const PlacedModel& model) { return write(model, ort_device); },
          .read = [](const std::string& text, const std::string& file,
                     const Problem& problem) { return read(text, file, problem, ort_device); }};
}

PlanTarget openvino_target() {
  return {
      .name = {},
      .summary = "OpenVINO's affinity of each node, for HETERO",
      .write = [](const PlacedModel& model) { return write(model, openvino_device); },
      .read = [](const std::string& text, const std::string& file,
                 const Problem& problem) { return read(text, file, problem, openvino_device); }};
}

}  // namespace placer

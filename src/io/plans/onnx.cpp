// ONNX: a model for each stage, pipeline.json, which says how to chain them, and the whole model
// with the stages as IR 11 tells them (NodeDeviceConfigurationProto in onnx.proto).
#include <fmt/format.h>

#include <map>

#include "io/json/writer.hpp"
#include "io/onnx/split.hpp"
#include "io/plans/target.hpp"
#include "placer/base/text.hpp"
#include "placer/io/json_reader.hpp"
#include "placer/sim/simulator.hpp"

namespace placer {
namespace {

constexpr const char* kAnnotated = "annotated.onnx";

std::string file_of(std::size_t stage) { return fmt::format("stage{}.onnx", stage); }

OnnxPlaces places_of(const PlacedModel& model, const PlanSource& source) {
  const Problem& problem = model.problem;
  OnnxPlaces places;
  places.data_prefix = source.folder;
  for (const Device& device : problem.topology().devices()) places.devices.push_back(device.name);
  for (const OpId op : IdRange<OpId>(problem.op_count())) {
    const std::size_t device = model.placement[problem.groups().of(op)].index();
    for (const std::string& node : nodes_of(problem.graph().op(op))) {
      const std::string name = printable(node);
      const std::size_t known = places.device_of.emplace(name, device).first->second;
      if (known == device) continue;
      fail_plan(source.file, fmt::format("node '{}'", one_line(name, 80)),
                fmt::format("one node of that name, or all on {}", places.devices[known]),
                "one on " + places.devices[device]);
    }
  }
  return places;
}

void write_link(const OnnxLink& link, JsonWriter& writer) {
  writer.begin_object();
  writer.member("name", link.name);
  writer.key("from");
  if (link.stage) {
    writer.value(*link.stage);
  } else {
    writer.value("model");
  }
  writer.end_object();
}

void write_links(std::string_view name, const std::vector<OnnxLink>& links, JsonWriter& writer) {
  writer.key(name);
  writer.begin_array();
  for (const OnnxLink& link : links) write_link(link, writer);
  writer.end_array();
}

std::string chain_of(const SplitOnnx& split, const OnnxPlaces& places) {
  JsonWriter writer;
  writer.begin_object(JsonWriter::Layout::kLines);
  writer.member("annotated", kAnnotated);
  writer.list("inputs", split.inputs);
  write_links("outputs", split.outputs, writer);
  writer.key("stages");
  writer.begin_array(JsonWriter::Layout::kLines);
  for (std::size_t i = 0; i < split.stages.size(); ++i) {
    writer.begin_object(JsonWriter::Layout::kLines);
    writer.member("file", file_of(i));
    writer.member("device", places.devices[split.stages[i].device]);
    write_links("inputs", split.stages[i].inputs, writer);
    writer.list("outputs", split.stages[i].outputs);
    writer.end_object();
  }
  writer.end_array();
  writer.end_object();
  return std::move(writer).take() + "\n";
}

/// When the simulation says that each node has run.
std::map<std::string, Picoseconds> ends_of(const PlacedModel& model) {
  Simulator simulator(model.problem, Order::kFifo);
  Schedule schedule;
  simulator.evaluate(model.placement, nullptr, &schedule);
  std::map<std::string, Picoseconds> ends;
  for (const OpId op : IdRange<OpId>(model.problem.op_count())) {
    for (const std::string& node : nodes_of(model.problem.graph().op(op))) {
      ends.emplace(printable(node), schedule.ops[op.index()].end_ps);
    }
  }
  return ends;
}

std::vector<PlanFile> write_split(const PlanSource& source, const OnnxPlaces& places) {
  const ImportSource file(source.text, source.file);
  SplitOnnx split = split_onnx(file, source.import.shape, places);
  std::vector<PlanFile> files;
  for (std::size_t i = 0; i < split.stages.size(); ++i) {
    files.push_back({file_of(i), std::move(split.stages[i].bytes)});
  }
  files.push_back({kAnnotated, std::move(split.annotated)});
  files.push_back({"pipeline.json", chain_of(split, places)});
  return files;
}

std::vector<PlanFile> write_few(const PlacedModel& model, const PlanSource& source) {
  return write_split(source, places_of(model, source));
}

std::vector<PlanFile> write_early(const PlacedModel& model, const PlanSource& source) {
  OnnxPlaces places = places_of(model, source);
  places.ends = ends_of(model);
  return write_split(source, places);
}

}  // namespace

std::vector<std::string> stage_files(const std::string& chain) {
  std::vector<std::string> names;
  try {
    const std::string file = "chain";
    const JsonDocument root = parse_json(chain, file);
    const JsonCursor cursor(root, file);
    JsonObject(cursor).required("stages").for_each_element([&](const JsonCursor& stage) {
      if (JsonObject(stage).required("file").name() == file_of(names.size())) {
        names.push_back(file_of(names.size()));
      }
    });
  } catch (const Error&) {
    return {};
  }
  return names;
}

PlanTarget onnx_target() {
  return {.name = {},
          .summary =
              "an ONNX model for each stage, how to chain them, and the whole with its "
              "stages",
          .in_stages = true,
          .runs_any = true,
          .source_format = "onnx",
          .write_files = write_few};
}

PlanTarget onnx_early_target() {
  return {.name = {},
          .summary =
              "the same with as many stages as it takes that no device waits longer than for "
              "single nodes",
          .source_format = "onnx",
          .write_files = write_early};
}

}  // namespace placer

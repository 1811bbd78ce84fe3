// Plans of pipelines with measured times (a format of ours, schemas/pipeline.schema.json): a step
// of all micro-batches, with a forward and a backward op for each and stage, gradient sums and
// updates at the end, each stage a device of its own, in the order of the schedule. The form
// follows what Strati et al. measured and published (Sailor: Automating Distributed Training over
// Dynamic, Heterogeneous, and Geo-distributed Clusters, SOSP 2025).
#include <fmt/format.h>

#include <algorithm>

#include "io/importers/importer.hpp"
#include "io/importers/pipeline_plan.hpp"

namespace placer {
namespace {

constexpr double kMostSeconds = 1e6;
constexpr double kMostCoefficient = 1e9;
constexpr std::int64_t kMostBytes = 1'000'000'000'000'000;
constexpr std::int64_t kMostSamples = 1'000'000'000;
constexpr std::int64_t kMostLayers = 100'000;

void read_seconds(JsonObject& object, std::string_view key, double& seconds) {
  if (const auto cursor = object.find(key)) seconds = cursor->number(0, kMostSeconds);
}
void read_bytes(JsonObject& object, std::string_view key, std::int64_t& bytes) {
  if (const auto cursor = object.find(key)) bytes = cursor->integer(0, kMostBytes);
}

UnitLayer layer_from(const JsonCursor& cursor) {
  JsonObject object(cursor);
  UnitLayer layer;
  layer.forward_seconds = object.required("forward_seconds").number(0, kMostSeconds);
  layer.backward_seconds = object.required("backward_seconds").number(0, kMostSeconds);
  read_seconds(object, "update_seconds", layer.update_seconds);
  read_bytes(object, "held_bytes", layer.held_bytes);
  read_bytes(object, "gradient_bytes", layer.gradient_bytes);
  read_bytes(object, "activation_bytes", layer.activation_bytes);
  read_bytes(object, "output_bytes", layer.output_bytes);
  object.no_other_keys();
  return layer;
}

void read_unit(const JsonCursor& cursor, std::vector<PlanUnit>& units) {
  JsonObject object(cursor);
  PlanUnit unit;
  unit.memory_bytes = kRoomyBytes;
  const JsonCursor name = object.required("name");
  unit.name = name.name();
  if (std::ranges::find(units, unit.name, &PlanUnit::name) != units.end()) {
    name.fail("a name of its own", fmt::format("'{}' again", unit.name));
  }
  if (const auto gpus = object.find("gpus")) unit.gpus = gpus->integer(1, kMostImportedDevices);
  read_bytes(object, "memory_bytes", unit.memory_bytes);
  read_bytes(object, "fixed_bytes", unit.fixed_bytes);
  read_seconds(object, "update_seconds", unit.update_seconds);
  const JsonCursor layers = object.required("layers");
  layers.for_each_element(
      [&](const JsonCursor& layer) { unit.layers.push_back(layer_from(layer)); });
  object.no_other_keys();
  if (unit.layers.empty() || (!units.empty() && unit.layers.size() != units[0].layers.size())) {
    layers.fail(units.empty()
                    ? "at least one layer"
                    : fmt::format("{} layers as in the first unit", units[0].layers.size()),
                fmt::format("{}", unit.layers.size()));
  }
  units.push_back(std::move(unit));
}

MessageSpeed speed_from(const JsonCursor& cursor) {
  JsonObject object(cursor);
  MessageSpeed speed;
  speed.from = object.required("from").name();
  speed.to = object.required("to").name();
  const JsonCursor curve = object.required("curve");
  std::vector<double> numbers;
  curve.for_each_element([&](const JsonCursor& each) {
    numbers.push_back(each.number(-kMostCoefficient, kMostCoefficient));
  });
  if (numbers.size() != 3) {
    curve.fail("three numbers", fmt::format("{}", numbers.size()));
  }
  speed.a = numbers[0];
  speed.b = numbers[1];
  speed.c = numbers[2];
  speed.most_bytes_per_second = object.required("most_bytes_per_second").positive_number();
  object.no_other_keys();
  return speed;
}

PlannedStage stage_from(const JsonCursor& cursor, const std::vector<PlanUnit>& units) {
  JsonObject object(cursor);
  PlannedStage stage;
  stage.layers = static_cast<std::size_t>(object.required("layers").integer(1, kMostLayers));
  const JsonCursor replicas = object.required("replicas");
  replicas.for_each_element([&](const JsonCursor& replica) {
    const std::string name(replica.name());
    const auto at = std::ranges::find(units, name, &PlanUnit::name);
    if (at == units.end()) replica.fail("the name of a unit", fmt::format("'{}'", name));
    stage.replicas.push_back(static_cast<std::size_t>(at - units.begin()));
  });
  if (stage.replicas.empty()) replicas.fail("at least one replica", "none");
  object.no_other_keys();
  return stage;
}

void read_stages(const JsonCursor& list, PipelinePlan& plan) {
  std::size_t layers = 0;
  list.for_each_element([&](const JsonCursor& stage) {
    plan.stages.push_back(stage_from(stage, plan.units));
    const std::size_t replicas = plan.stages.back().replicas.size();
    if (replicas != plan.stages.front().replicas.size()) {
      stage.fail(fmt::format("as many replicas as the first stage has, {}",
                             plan.stages.front().replicas.size()),
                 fmt::format("{}", replicas));
    }
    layers += plan.stages.back().layers;
  });
  if (plan.stages.empty() || plan.stages.size() > kMostImportedDevices) {
    list.fail(fmt::format("1 to {} stages", kMostImportedDevices),
              fmt::format("{}", plan.stages.size()));
  }
  if (layers != plan.units.front().layers.size()) {
    list.fail(fmt::format("{} layers in all", plan.units.front().layers.size()),
              fmt::format("{}", layers));
  }
}

PipelinePlan plan_from(const JsonCursor& root, const std::string& stem) {
  JsonObject object(root);
  check_format(object, "placer-pipeline");
  PipelinePlan plan;
  plan.name = stem;
  if (const auto name = object.find("name")) plan.name = name->name();
  if (const auto schedule = object.find("schedule")) {
    plan.schedule = schedule->one_of<PipelineSchedule>();
    if (plan.schedule != PipelineSchedule::kGpipe && plan.schedule != PipelineSchedule::k1F1B) {
      schedule->fail("gpipe or 1f1b, as stages are whole", name_of(plan.schedule));
    }
  }
  plan.micro_batch = object.required("micro_batch").integer(1, kMostSamples);
  plan.global_batch = object.required("global_batch").integer(1, kMostSamples);
  if (const auto blocks = object.find("blocking_sends")) plan.blocking_sends = blocks->boolean();
  if (const auto staging = object.find("staging_bytes_per_second")) {
    plan.staging_bytes_per_second = staging->positive_number();
  }
  const JsonCursor units = object.required("units");
  units.for_each_element([&](const JsonCursor& unit) { read_unit(unit, plan.units); });
  if (plan.units.empty()) units.fail("at least one unit", "none");
  if (const auto network = object.find("network")) {
    network->for_each_element(
        [&](const JsonCursor& speed) { plan.network.push_back(speed_from(speed)); });
  }
  const JsonCursor stages = object.required("stages");
  read_stages(stages, plan);
  object.no_other_keys();
  return plan;
}

Imported read(ImportSource& source, const ImportOptions&) {
  const JsonCursor root(source.json(), source.file());
  const PipelinePlan plan = plan_from(root, source.stem());
  return with_place(root, [&] {
    PlannedStep step = planned_step(plan);
    const Placement placement{std::move(step.device_of)};  // each op is its own group
    MicroBatchPipeline pipeline =
        pipelined(Problem(std::move(step.graph), std::move(step.topology)), placement,
                  {step.micro_batches, plan.schedule});
    Imported imported{
        .format = {}, .graph = pipeline.problem.graph(), .devices = pipeline.problem.topology()};
    for (const OpId op : IdRange<OpId>(pipeline.problem.op_count())) {
      imported.device_of.push_back(placement[pipeline.problem.groups().of(op)]);
    }
    imported.sequences = std::move(pipeline.sequences);
    imported.notes.push_back(fmt::format("{} micro-batches in {} stages, {}", step.micro_batches,
                                         plan.stages.size(), name_of(plan.schedule)));
    return imported;
  });
}

}  // namespace

Importer pipeline_importer() {
  return {.format = {.name = {},
                     .summary = "plans of pipelines with measured times, a format of ours; each "
                                "micro-batch becomes ops of its stages, in the plan's order"},
          .recognises =
              [](ImportSource& source) {
                return source.has_keys({"format"}) &&
                       source.text().find("\"placer-pipeline\"") != std::string::npos;
              },
          .read = read};
}

}  // namespace placer

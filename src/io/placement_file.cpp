#include "placer/io/placement_file.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/json/writer.hpp"
#include "io/op_names.hpp"
#include "placer/io/files.hpp"
#include "placer/io/json_reader.hpp"
#include "placer/sim/simulator.hpp"

namespace placer {
namespace {

DeviceId device_named(std::string_view name, const JsonCursor& cursor, const Topology& topology) {
  if (const std::optional<DeviceId> device = topology.find(name)) return *device;
  std::vector<std::string> names;
  for (const Device& device : topology.devices()) names.push_back(device.name);
  const std::string found = one_line(name, 60);
  constexpr std::size_t kShown = 16;
  cursor.fail(names.size() <= kShown ? "one of the devices " + join(names) : "the name of a device",
              fmt::format("'{}'{}", found, did_you_mean(found, names)));
}

class PlacementReader {
 public:
  explicit PlacementReader(const Problem& problem)
      : problem_(problem), op_names_(problem.graph().ops()) {}

  Placement placement(const JsonCursor& cursor) {
    std::vector<std::optional<DeviceId>> device_of(problem_.op_count());
    Placement placement{std::vector<DeviceId>(problem_.groups().size())};
    std::vector<std::optional<OpId>> first(problem_.groups().size());
    cursor.for_each_member([&](std::string_view name, const JsonCursor& value) {
      const OpId op = op_names_.find(name, cursor);
      const DeviceId device = device_named(value.name(), value, problem_.topology());
      const GroupId group = problem_.groups().of(op);
      if (!problem_.groups().is_allowed(group, device)) {
        value.fail("a device that the op and its group may use");
      }
      if (first[group.index()] && placement[group] != device) {
        value.fail(fmt::format("the device of group '{}', '{}' as for op '{}'",
                               problem_.graph().op(op).group,
                               problem_.topology().device(placement[group]).name,
                               problem_.graph().op(*first[group.index()]).name));
      }
      if (!first[group.index()]) first[group.index()] = op;
      placement[group] = device;
      device_of[op.index()] = device;
    });
    for (const OpId op : IdRange<OpId>(device_of.size())) {
      if (device_of[op.index()]) continue;
      cursor.fail("a device for every op",
                  fmt::format("none for '{}'", problem_.graph().op(op).name));
    }
    return placement;
  }

  Sequences sequences(const JsonCursor& cursor, const Placement& placement) {
    Sequences sequences(problem_.device_count());
    std::vector<char> seen(problem_.op_count(), 0);
    std::size_t count = 0;
    cursor.for_each_member([&](std::string_view name, const JsonCursor& list) {
      const DeviceId device = device_named(name, cursor, problem_.topology());
      list.for_each_element([&](const JsonCursor& element) {
        const OpId op = op_names_.find(element);
        if (placement[problem_.groups().of(op)] != device) {
          element.fail("an op of device '" + std::string(name) + "'");
        }
        if (seen[op.index()] != 0) {
          element.fail("each op once", fmt::format("'{}' again", element.name()));
        }
        seen[op.index()] = 1;
        ++count;
        sequences[device.index()].push_back(op);
      });
    });
    if (count < problem_.op_count()) {
      const auto missing = static_cast<std::size_t>(std::ranges::find(seen, 0) - seen.begin());
      cursor.fail("every op in a sequence",
                  fmt::format("none with '{}'", problem_.graph().ops()[missing].name));
    }
    const std::string deadlock = deadlock_of(problem_, sequences);
    if (!deadlock.empty()) cursor.fail("sequences that can run", "a deadlock: " + deadlock);
    return sequences;
  }

 private:
  const Problem& problem_;
  OpNames op_names_;
};

Replicas read_replicas(const JsonCursor& cursor, const Topology& topology) {
  Replicas replicas(topology.devices().size());
  cursor.for_each_member([&](std::string_view name, const JsonCursor& list) {
    std::vector<DeviceId>& row = replicas[device_named(name, cursor, topology).index()];
    list.for_each_element([&](const JsonCursor& element) {
      row.push_back(device_named(element.name(), element, topology));
    });
  });
  return replicas;
}

MicroBatches read_pipeline(const JsonCursor& cursor, const Topology& topology) {
  JsonObject object(cursor);
  MicroBatches batches;
  batches.count = object.required("microbatches").integer(1, kMostUnrolledOps);
  batches.schedule = object.required("schedule").one_of<PipelineSchedule>();
  if (const auto merged = object.find("merged")) batches.merged = merged->integer(1, kMostMerged);
  if (const auto replicas = object.find("replicas")) {
    batches.replicas = read_replicas(*replicas, topology);
  }
  object.no_other_keys();
  return batches;
}

void write_pipeline(const MicroBatches& batches, const Topology& topology, JsonWriter& writer) {
  writer.key("pipeline");
  writer.begin_object();
  writer.member("microbatches", batches.count);
  writer.member("schedule", name_of(batches.schedule));
  if (batches.merged > 1) writer.member("merged", batches.merged);
  if (batches.has_replicas()) {
    writer.key("replicas");
    writer.begin_object();
    for (std::size_t device = 0; device < batches.replicas.size(); ++device) {
      if (batches.replicas[device].empty()) continue;
      writer.key(topology.device(DeviceId(device)).name);
      writer.begin_array();
      for (const DeviceId replica : batches.replicas[device]) {
        writer.value(topology.device(replica).name);
      }
      writer.end_array();
    }
    writer.end_object();
  }
  writer.end_object();
}

/// The step time that is claimed, in seconds.
double read_score(const JsonCursor& cursor) {
  JsonObject object(cursor);
  const double step_seconds = object.required("step_seconds").number(0);
  object.required("overflow_bytes").integer(0);
  if (const auto astray = object.find("astray_ops")) astray->integer(0);
  object.no_other_keys();
  return step_seconds;
}

}  // namespace

PlacementFile parse_placement(const std::string& text, const std::string& file,
                              const Problem& problem) {
  const JsonDocument root = parse_json(text, file);
  const JsonCursor cursor(root, file);
  JsonObject object(cursor);
  check_format(object, "placer-placement");
  PlacementReader reader(problem);
  PlacementFile result;
  const JsonCursor placement = object.required("placement");
  result.placement = reader.placement(placement);
  if (const auto sequences = object.find("sequences")) {
    result.sequences = reader.sequences(*sequences, result.placement);
  }
  if (const auto score = object.find("score")) result.step_seconds = read_score(*score);
  if (const auto pipeline = object.find("pipeline")) {
    result.pipeline = read_pipeline(*pipeline, problem.topology());
  }
  if (const auto request = object.find("request")) {
    request->for_each_member([](std::string_view, const JsonCursor&) {});
  }
  object.no_other_keys();
  return result;
}

PlacementFile read_placement(const std::string& path, const Problem& problem) {
  return parse_placement(read_text(path), file_title(path), problem);
}

std::string write_placement(const Problem& problem, const Placement& placement, const Score& score,
                            const std::optional<Sequences>& sequences,
                            const std::string& request_json,
                            const std::optional<MicroBatches>& pipeline) {
  using Layout = JsonWriter::Layout;
  const auto name_of = [&](DeviceId device) -> const std::string& {
    return problem.topology().device(device).name;
  };
  JsonWriter writer;
  writer.begin_object(Layout::kLines);
  writer.member("format", "placer-placement");
  writer.member("version", 1);
  writer.key("score");
  writer.begin_object();
  writer.member("step_seconds", to_seconds(score.step_ps));
  writer.member("overflow_bytes", score.overflow_bytes);
  if (score.astray_ops > 0) writer.member("astray_ops", score.astray_ops);
  writer.end_object();
  if (!request_json.empty()) {
    writer.key("request");
    writer.json(request_json);
  }
  if (pipeline) write_pipeline(*pipeline, problem.topology(), writer);
  writer.key("placement");
  writer.begin_object(Layout::kLines);
  for (const OpId op : IdRange<OpId>(problem.op_count())) {
    writer.member(problem.graph().op(op).name, name_of(placement[problem.groups().of(op)]));
  }
  writer.end_object();
  if (sequences) {
    writer.key("sequences");
    writer.begin_object(Layout::kLines);
    for (const DeviceId device : IdRange<DeviceId>(problem.device_count())) {
      writer.key(name_of(device));
      writer.begin_array();
      for (const OpId op : (*sequences)[device.index()]) writer.value(problem.graph().op(op).name);
      writer.end_array();
    }
    writer.end_object();
  }
  writer.end_object();
  return std::move(writer).take() + "\n";
}

}  // namespace placer

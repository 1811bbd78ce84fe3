#include "io/programs/exec_messages.hpp"

#include <fmt/format.h>

#include <cmath>

#include "io/field_json.hpp"
#include "io/json/writer.hpp"
#include "placer/base/text.hpp"
#include "placer/io/json_reader.hpp"

namespace placer {
namespace {

constexpr std::size_t kMostDevices = 512;
constexpr std::size_t kShownName = 80;

JsonWriter line_writer() { return JsonWriter({.indent = 0, .spaces = false}); }

std::string ended(JsonWriter writer) { return std::move(writer).take() + "\n"; }

void or_null(JsonWriter& writer, std::string_view name, bool is_known, auto value) {
  writer.key(name);
  if (is_known) {
    writer.value(value);
  } else {
    writer.json("null");
  }
}

/// An object for each of `items`, whose members `write` adds.
void write_objects(JsonWriter& writer, std::string_view name, const auto& items, auto write) {
  writer.key(name);
  writer.begin_array();
  for (const auto& item : items) {
    writer.begin_object();
    write(item);
    writer.end_object();
  }
  writer.end_array();
}

void write_ids(JsonWriter& writer, std::string_view name, const auto& ids) {
  writer.key(name);
  writer.begin_array();
  for (const auto id : ids) writer.value(id.index());
  writer.end_array();
}

/// By device; null where `group` may not go.
void write_seconds(JsonWriter& writer, const Problem& problem, GroupId group, auto seconds_on) {
  writer.key("seconds");
  writer.begin_array();
  for (const DeviceId device : IdRange<DeviceId>(problem.device_count())) {
    if (problem.groups().is_allowed(group, device)) {
      writer.value(to_seconds(seconds_on(device)));
    } else {
      writer.json("null");
    }
  }
  writer.end_array();
}

void write_devices(JsonWriter& writer, const Topology& topology) {
  write_objects(writer, "devices", topology.devices(), [&](const Device& device) {
    writer.member("name", device.name);
    writer.member("type", device.type);
    writer.member("memory_bytes", device.memory_bytes);
    writer.member("slots", device.slots);
  });
}

void write_links(JsonWriter& writer, const Topology& topology) {
  std::vector<std::pair<DeviceId, DeviceId>> joined;
  const IdRange<DeviceId> devices(topology.devices().size());
  for (const DeviceId from : devices) {
    for (const DeviceId to : devices) {
      if (topology.joins(from, to)) joined.emplace_back(from, to);
    }
  }
  write_objects(writer, "links", joined, [&](const auto& link) {
    const LinkSpeed& speed = topology.speeds()[topology.speed_class(link.first, link.second)];
    writer.member("from", link.first.index());
    writer.member("to", link.second.index());
    writer.member("latency_seconds", speed.latency_seconds);
    writer.member("bytes_per_second", speed.bytes_per_second);
    if (speed.by_message_size.empty()) return;
    writer.key("by_message_size");
    write_value(writer, speed.by_message_size);
  });
}

void write_ops(JsonWriter& writer, const Problem& problem) {
  write_objects(writer, "ops", IdRange<OpId>(problem.op_count()), [&](OpId id) {
    const Op& op = problem.graph().ops()[id.index()];
    const GroupId group = problem.groups().of(id);
    writer.member("name", op.name);
    writer.member("type", op.type);
    writer.member("group", group.index());
    write_seconds(writer, problem, group,
                  [&](DeviceId device) { return problem.costs().op_ps(id, device); });
    writer.member("params_bytes", op.params_bytes);
    writer.member("temp_bytes", op.temp_bytes);
    writer.member("backward", op.backward);
  });
}

void write_tensors(JsonWriter& writer, const Graph& graph) {
  write_objects(writer, "tensors", graph.tensors(), [&](const Tensor& tensor) {
    writer.member("producer", tensor.producer.index());
    write_ids(writer, "consumers", tensor.consumers);
    writer.member("bytes", tensor.bytes);
    or_null(writer, "transfer_seconds", tensor.transfer_seconds.has_value(),
            tensor.transfer_seconds.value_or(0));
  });
}

void write_groups(JsonWriter& writer, const Problem& problem) {
  write_objects(writer, "groups", IdRange<GroupId>(problem.groups().size()), [&](GroupId group) {
    write_ids(writer, "ops", problem.groups().ops(group));
    write_ids(writer, "devices", problem.groups().allowed(group));
    write_seconds(writer, problem, group,
                  [&](DeviceId device) { return problem.group_ps(group, device); });
  });
}

void write_start(JsonWriter& writer, const Placement* start) {
  if (start == nullptr) {
    writer.key("start");
    writer.json("null");
  } else {
    write_ids(writer, "start", start->devices);
  }
}

/// What is left of the budget; null where it has no such limit.
void write_budget(JsonWriter& writer, const Search& search) {
  const std::int64_t evaluations = search.evaluations_left();
  or_null(writer, "evaluations_left", evaluations < kLargestInteger, evaluations);
  const double seconds = search.problem().deadline().seconds_left();
  or_null(writer, "seconds_left", std::isfinite(seconds), seconds);
}

std::string devices_text(std::span<const DeviceId> devices) {
  std::vector<std::string> texts;
  for (const DeviceId device : devices) texts.push_back(fmt::format("{}", device.index()));
  return join(texts, " or ");
}

Placement parse_placement(const JsonCursor& list, const Problem& problem) {
  const std::size_t groups = problem.groups().size();
  if (list.size() != groups) {
    list.fail(fmt::format("{} devices, one for each group", groups),
              fmt::format("{}", list.size()));
  }
  Placement placement;
  placement.devices.reserve(groups);
  list.for_each_element([&](const JsonCursor& element) {
    const GroupId group(placement.devices.size());
    const std::span<const DeviceId> allowed = problem.groups().allowed(group);
    const std::int64_t number = element.integer(std::numeric_limits<std::int32_t>::min());
    const bool is_device =
        number >= 0 && number < static_cast<std::int64_t>(problem.device_count());
    const DeviceId device(is_device ? static_cast<std::size_t>(number) : 0);
    if (!is_device || !problem.groups().is_allowed(group, device)) {
      const Op& first = problem.graph().ops()[problem.groups().ops(group).front().index()];
      element.fail(fmt::format("device {} for the group of op '{}'", devices_text(allowed),
                               one_line(first.name, kShownName)));
    }
    placement.devices.push_back(device);
  });
  return placement;
}

}  // namespace

std::string problem_message(const Search& search, std::int64_t seed) {
  const Problem& problem = search.problem();
  const Goal& goal = problem.goal();
  if (problem.device_count() > kMostDevices) {
    throw Error(
        fmt::format("expected at most {} devices, found {}", kMostDevices, problem.device_count()));
  }
  JsonWriter writer = line_writer();
  writer.begin_object();
  writer.member("format", "placer-problem");
  writer.member("version", 1);
  writer.member("graph", problem.graph().name());
  writer.member("seed", seed);
  write_budget(writer, search);
  writer.member("objective", name_of(goal.objective));
  writer.member("contiguous", goal.contiguity != Contiguity::kNone);
  writer.member("in_stages", goal.contiguity == Contiguity::kStages);
  write_devices(writer, problem.topology());
  write_links(writer, problem.topology());
  write_groups(writer, problem);
  write_ops(writer, problem);
  write_tensors(writer, problem.graph());
  write_start(writer, search.start());
  writer.end_object();
  return ended(std::move(writer));
}

std::string score_message(const Search& search, const Score& score) {
  JsonWriter writer = line_writer();
  writer.begin_object();
  writer.member("feasible", score.fits());
  writer.member("step_seconds", to_seconds(score.step_ps));
  writer.member("overflow_bytes", score.overflow_bytes);
  writer.member("astray_ops", score.astray_ops);
  writer.member("cost_seconds", search.cost_seconds(score));
  writer.member("is_best", search.best_score() == score);
  write_budget(writer, search);
  writer.end_object();
  return ended(std::move(writer));
}

std::string stop_message() { return "{\"stop\":true}\n"; }

std::optional<Placement> parse_answer(const std::string& line, const std::string& place,
                                      const Problem& problem) {
  const JsonDocument root = parse_json(line, place);
  const JsonCursor cursor(root, place);
  if (!cursor.is_object()) cursor.fail("{\"placement\": [...]} or {\"done\": true}");
  JsonObject answer(cursor);
  if (const auto done = answer.find("done")) {
    answer.no_other_keys();
    if (!done->boolean()) done->fail("true");
    return std::nullopt;
  }
  const JsonCursor list = answer.required("placement");
  answer.no_other_keys();
  return parse_placement(list, problem);
}

}  // namespace placer

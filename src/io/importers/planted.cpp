// Scheduling instances with an optimum known by construction: costs in ticks for each op and
// device, edges with bytes, memory limits, and the schedule that reaches the optimum. A transfer
// takes latency + ceil(bytes / bandwidth) ticks, so bytes are rounded up to whole ticks here.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "io/importers/checks.hpp"
#include "io/importers/importer.hpp"

namespace placer {
namespace {

constexpr double kTicksPerSecond = 1e6;
constexpr std::int64_t kMostTicks = 1'000'000'000'000;
constexpr std::int64_t kMostBytes = 1'000'000'000'000'000;

struct TransferTime {
  std::int64_t latency_ticks = 0, bytes_per_tick = 1;
};

double seconds(std::int64_t ticks) { return static_cast<double>(ticks) / kTicksPerSecond; }

std::vector<Device> devices_from(const JsonCursor& list) {
  std::vector<Device> devices;
  list.for_each_element([&](const JsonCursor& cursor) {
    JsonObject object(cursor);
    Device& device = devices.emplace_back();
    device.name = object.required("name").name();
    device.type = "processor";
    device.memory_bytes = object.required("mem_bytes").integer(0, kMostBytes);
    object.no_other_keys();
  });
  const auto most = static_cast<std::size_t>(kMostImportedDevices);
  if (devices.empty() || devices.size() > most) {
    list.fail(fmt::format("1 to {} devices", most), fmt::format("{}", devices.size()));
  }
  return devices;
}

TransferTime transfer_time_from(const JsonCursor& cursor) {
  JsonObject object(cursor);
  TransferTime time;
  time.latency_ticks = object.required("latency").integer(0, kMostTicks);
  time.bytes_per_tick = object.required("bw_bytes_per_tick").integer(1, kMostBytes);
  const JsonCursor topology = object.required("topology");
  if (topology.name() != "full, uniform") topology.fail("'full, uniform'");
  object.no_other_keys();
  return time;
}

std::vector<Op> ops_from(const JsonCursor& costs, const JsonCursor& memory,
                         const std::vector<Device>& devices) {
  std::vector<Op> ops;
  costs.for_each_element([&](const JsonCursor& row) {
    require_size(row, devices.size(), "device");
    Op& op = ops.emplace_back();
    op.name = fmt::format("op{}", ops.size() - 1);
    row.for_each_element([&](const JsonCursor& cost) {
      op.seconds.emplace_back(devices[op.seconds.size()].name,
                              seconds(cost.integer(0, kMostTicks)));
    });
  });
  require_size(memory, ops.size(), "op");
  std::size_t i = 0;
  memory.for_each_element(
      [&](const JsonCursor& bytes) { ops[i++].params_bytes = bytes.integer(0, kMostBytes); });
  return ops;
}

/// One tensor for each edge.
std::vector<Tensor> tensors_from(const JsonCursor& list, const std::vector<Op>& ops,
                                 const TransferTime& time) {
  std::vector<Tensor> tensors;
  const auto last_op = static_cast<std::int64_t>(ops.size()) - 1;
  list.for_each_element([&](const JsonCursor& edge) {
    require_size(edge, 3, "producer, consumer and bytes");
    std::array<std::int64_t, 3> numbers{};
    std::size_t i = 0;
    edge.for_each_element([&](const JsonCursor& number) {
      numbers[i] = i < 2 ? number.integer(0, last_op) : number.integer(1, kMostBytes);
      ++i;
    });
    if (numbers[0] == numbers[1]) edge.fail("two ops", fmt::format("op {} twice", numbers[0]));
    const std::int64_t ticks = (numbers[2] + time.bytes_per_tick - 1) / time.bytes_per_tick;
    if (ticks > kMostTicks || ticks > kMostBytes / time.bytes_per_tick) {
      edge.fail(fmt::format("a transfer of at most {} ticks and {} bytes", kMostTicks, kMostBytes),
                "a longer one");
    }
    tensors.push_back({.name = {},
                       .producer = OpId(static_cast<std::size_t>(numbers[0])),
                       .consumers = {OpId(static_cast<std::size_t>(numbers[1]))},
                       .bytes = ticks * time.bytes_per_tick,
                       .keep = false,
                       .transfer_seconds = {}});
  });
  return tensors;
}

void read_schedule(const JsonCursor& cursor, Imported& imported) {
  JsonObject object(cursor);
  const std::size_t ops = imported.graph.ops().size();
  const JsonCursor device = object.required("device"), start = object.required("start");
  object.no_other_keys();
  require_size(device, ops, "op");
  require_size(start, ops, "op");
  const auto last_device = static_cast<std::int64_t>(imported.devices->devices().size()) - 1;
  device.for_each_element([&](const JsonCursor& each) {
    imported.device_of.emplace_back(static_cast<std::size_t>(each.integer(0, last_device)));
  });
  std::vector<double> start_ticks;
  start.for_each_element([&](const JsonCursor& each) {
    start_ticks.push_back(static_cast<double>(each.integer(0, kMostTicks)));
  });
  set_sequences(imported, start_ticks);
}

Topology topology_of(std::vector<Device> devices, const TransferTime& time,
                     const JsonCursor& cursor) {
  std::vector<Link> links;
  if (devices.size() > 1) {
    links.push_back({"*",
                     "*",
                     static_cast<double>(time.bytes_per_tick) * kTicksPerSecond,
                     seconds(time.latency_ticks),
                     {}});
  }
  return with_place(cursor, [&] { return Topology(std::move(devices), std::move(links)); });
}

Imported read(ImportSource& source, const ImportOptions&) {
  const JsonCursor root(source.json(), source.file());
  JsonObject object(root);
  const JsonCursor format = object.required("format");
  if (format.name() != "planted-1") format.fail("'planted-1'");
  for (const std::string_view known : {"family", "seed", "certificate"}) object.find(known);
  std::vector<Device> devices = devices_from(object.required("devices"));
  const TransferTime time = transfer_time_from(object.required("link"));
  const JsonCursor memory = object.required("mem_bytes");
  std::vector<Op> ops = ops_from(object.required("cost"), memory, devices);
  std::vector<Tensor> tensors = tensors_from(object.required("edges"), ops, time);
  const std::int64_t optimum_ticks = object.required("makespan_opt").integer(0, kMostTicks);
  const JsonCursor planted = object.required("planted");
  object.no_other_keys();

  Imported imported{
      .format = {},
      .graph = imported_graph(source, source.stem(), std::move(ops), std::move(tensors)),
      .devices = topology_of(std::move(devices), time, root)};
  read_schedule(planted, imported);
  imported.step_seconds = seconds(optimum_ticks);
  return imported;
}

}  // namespace

Importer planted_importer() {
  return {.format = {.name = {},
                     .summary = "scheduling instances with a planted optimum; 1 tick is 1 us"},
          .recognises =
              [](ImportSource& source) {
                return source.has_keys({"planted", "cost"});
              },
          .read = read};
}

}  // namespace placer

// A worked example of list scheduling: tasks, their times on each processor, edges with bytes that
// cost one unit of time each, no contention, and a published schedule, which becomes the placement.
// Topcuoglu, Hariri, Wu: Performance-effective and low-complexity task scheduling for heterogeneous
// computing, IEEE TPDS 13, 2002.
#include <fmt/format.h>

#include <algorithm>

#include "io/importers/checks.hpp"
#include "io/importers/importer.hpp"
#include "io/op_names.hpp"

namespace placer {
namespace {

constexpr double kMostUnits = 1e9;
constexpr std::int64_t kMostBytes = 1'000'000'000;

std::vector<Device> devices_from(const JsonCursor& list) {
  std::vector<Device> devices;
  list.for_each_element([&](const JsonCursor& name) {
    Device& device = devices.emplace_back();
    device.name = name.name();
    device.type = "processor";
    device.memory_bytes = kRoomyBytes;
  });
  const auto most = static_cast<std::size_t>(kMostImportedDevices);
  if (devices.empty() || devices.size() > most) {
    list.fail(fmt::format("1 to {} processors", most), fmt::format("{}", devices.size()));
  }
  return devices;
}

std::vector<Op> ops_from(const JsonCursor& names, const JsonCursor& costs,
                         const std::vector<Device>& devices) {
  std::vector<Op> ops;
  names.for_each_element([&](const JsonCursor& name) { ops.emplace_back().name = name.name(); });
  require_size(costs, ops.size(), "task");
  std::size_t task = 0;
  costs.for_each_element([&](const JsonCursor& row) {
    require_size(row, devices.size(), "processor");
    Op& op = ops[task++];
    row.for_each_element([&](const JsonCursor& cost) {
      op.seconds.emplace_back(devices[op.seconds.size()].name, cost.number(0, kMostUnits));
    });
  });
  return ops;
}

std::vector<Tensor> tensors_from(const JsonCursor& list, const std::vector<Op>& ops) {
  const OpNames names(ops);
  std::vector<Tensor> tensors;
  list.for_each_element([&](const JsonCursor& edge) {
    require_size(edge, 3, "producer, consumer and cost");
    Tensor& tensor = tensors.emplace_back();
    std::size_t i = 0;
    edge.for_each_element([&](const JsonCursor& part) {
      if (i == 0) tensor.producer = names.find(part);
      if (i == 1) tensor.consumers = {names.find(part)};
      if (i == 2) tensor.bytes = part.integer(0, kMostBytes);
      ++i;
    });
    if (tensor.consumers.front() == tensor.producer) edge.fail("two tasks", "the same one twice");
  });
  return tensors;
}

DeviceId device_named(const JsonCursor& cursor, const Topology& topology) {
  const std::optional<DeviceId> device = topology.find(cursor.name());
  if (!device) cursor.fail("one of the processors");
  return *device;
}

/// {"n1": ["P3", 0, 9], ...}: processor, start and end.
void read_schedule(const JsonCursor& cursor, Imported& imported) {
  const OpNames names(imported.graph.ops());
  const std::size_t ops = imported.graph.ops().size();
  std::vector<std::optional<DeviceId>> device_of(ops);
  std::vector<double> start(ops);
  cursor.for_each_member([&](std::string_view name, const JsonCursor& run) {
    require_size(run, 3, "processor, start and end");
    const OpId op = names.find(name, run);
    std::size_t i = 0;
    run.for_each_element([&](const JsonCursor& part) {
      if (i == 0) device_of[op.index()] = device_named(part, *imported.devices);
      if (i == 1) start[op.index()] = part.number(0, kMostUnits);
      if (i == 2) part.number(0, kMostUnits);
      ++i;
    });
  });
  for (const OpId op : IdRange<OpId>(ops)) {
    if (!device_of[op.index()]) {
      cursor.fail("every task", fmt::format("none of '{}'", imported.graph.op(op).name));
    }
    imported.device_of.push_back(*device_of[op.index()]);
  }
  set_sequences(imported, start);
}

Imported read(ImportSource& source, const ImportOptions&) {
  const JsonCursor root(source.json(), source.file());
  JsonObject object(root);
  for (const std::string_view known :
       {"reference", "model", "rank_u", "rank_d", "critical_path", "cpop_cp_processor"}) {
    object.find(known);
  }
  std::string name = source.stem();
  if (const auto given = object.find("name")) name = given->name();
  std::vector<Device> devices = devices_from(object.required("processors"));
  const JsonCursor tasks = object.required("tasks");
  std::vector<Op> ops = ops_from(tasks, object.required("computation_cost"), devices);
  require_unique_names(source, ops, "tasks[{}]");
  std::vector<Tensor> tensors = tensors_from(object.required("edges"), ops);
  std::vector<Link> links;
  if (devices.size() > 1) links.push_back({"*", "*", 1, 0, {}});
  const auto expected = object.find("expected");
  object.no_other_keys();

  Imported imported{
      .format = {},
      .graph = imported_graph(source, std::move(name), std::move(ops), std::move(tensors)),
      .devices = with_place(
          root, [&] { return Topology(std::move(devices), std::move(links), Contention::kNone); })};
  if (expected) {
    JsonObject published(*expected);
    if (const auto heft = published.find("heft_schedule")) read_schedule(*heft, imported);
    if (const auto makespan = published.find("heft_makespan")) {
      imported.step_seconds = makespan->number(0, kMostUnits);
    }
  }
  return imported;
}

}  // namespace

Importer topcuoglu_importer() {
  return {
      .format = {.name = {},
                 .summary = "tasks, processors and a table of computation costs, as the example "
                            "of Topcuoglu, Hariri and Wu; a unit of time is 1 s"},
      .recognises =
          [](ImportSource& source) {
            return source.has_keys({"tasks", "processors", "computation_cost"});
          },
      .read = read};
}

}  // namespace placer

// Inputs of the device placement algorithms of Tarnawski et al.: nodes with measured times on a CPU
// and on one of a number of identical accelerators ("FPGAs") with limited memory, edges that cost a
// time of their producer. Sizes are charged on accelerators only, so the CPU has room for
// everything; its cores are the slots of one device, since they share memory. A node's size has its
// tensors in it, so that edges hold a single byte, which says that they take their time. Transfers
// of an accelerator wait for each other in each direction (contention `ports`), and where pipelines
// are judged, it either computes or copies (transfers `serial`). Tarnawski, Phanishayee,
// Devanur, Mahajan, Nina Paravecino: Efficient algorithms for device placement of DNN graph
// operators, NeurIPS 2020.
#include <fmt/format.h>

#include <cmath>
#include <set>
#include <unordered_map>

#include "io/importers/checks.hpp"
#include "io/importers/importer.hpp"

namespace placer {
namespace {

constexpr double kMillisecondsPerSecond = 1e3;
constexpr double kMostMilliseconds = 1e12;
constexpr double kMostBytes = 1e15;
constexpr double kBytesPerSecond = 1e9;  // never used: every edge states its time

/// Files hold true and false, or 1 and 0.
bool truth(const JsonCursor& cursor) {
  return cursor.is_number() ? cursor.integer(0, 1) == 1 : cursor.boolean();
}

std::int64_t whole_bytes(const JsonCursor& cursor) {
  return static_cast<std::int64_t>(std::ceil(cursor.number(0, kMostBytes)));
}

double seconds(const JsonCursor& cursor) {
  return cursor.number(0, kMostMilliseconds) / kMillisecondsPerSecond;
}

class NodeReader {
 public:
  void read(const JsonCursor& cursor) {
    JsonObject object(cursor);
    Op& op = ops.emplace_back();
    op.name = object.required("name").name();
    const JsonCursor id = object.required("id");
    if (!by_id_.emplace(id.integer(0), OpId(ops.size() - 1)).second) {
      id.fail("an id of its own", fmt::format("{} again", id.integer(0)));
    }
    op.seconds = {{"cpu", seconds(object.required("cpuLatency"))},
                  {"fpga", seconds(object.required("fpgaLatency"))}};
    if (!truth(object.required("supportedOnFpga"))) op.devices = {"cpu"};
    if (const auto backward = object.find("isBackwardNode")) op.backward = truth(*backward);
    if (const auto color = object.find("colorClass")) {
      op.group = fmt::format("color {}", color->integer(0));
    }
    op.params_bytes = whole_bytes(object.required("size"));
    object.find("layerId");
    object.no_other_keys();
  }

  OpId find(const JsonCursor& cursor) const {
    const auto at = by_id_.find(cursor.integer(0));
    if (at == by_id_.end()) cursor.fail("the id of a node");
    return at->second;
  }

  std::vector<Op> ops;

 private:
  std::unordered_map<std::int64_t, OpId> by_id_;
};

/// One tensor for each producer: its edges carry one result and cost the same.
class EdgeReader {
 public:
  explicit EdgeReader(const NodeReader& nodes) : nodes_(nodes), tensor_of_(nodes.ops.size()) {}

  void read(const JsonCursor& cursor) {
    JsonObject object(cursor);
    const OpId from = nodes_.find(object.required("sourceId"));
    const OpId to = nodes_.find(object.required("destId"));
    const JsonCursor cost = object.required("cost");
    const double transfer_seconds = seconds(cost);
    object.find("size");
    object.no_other_keys();
    if (from == to) cursor.fail("two nodes", "the same one twice");
    if (!edges_.emplace(from, to).second) cursor.fail("each edge once", "the same edge again");

    std::optional<std::size_t>& at = tensor_of_[from.index()];
    if (!at) {
      at = tensors.size();
      Tensor& tensor = tensors.emplace_back();
      tensor.producer = from;
      tensor.transfer_seconds = transfer_seconds;
    }
    Tensor& tensor = tensors[*at];
    if (tensor.transfer_seconds != transfer_seconds) {
      cost.fail(fmt::format("{} ms as on the other edges of the node",
                            *tensor.transfer_seconds * kMillisecondsPerSecond));
    }
    tensor.consumers.push_back(to);
    if (transfer_seconds > 0) tensor.bytes = 1;
  }

  std::vector<Tensor> tensors;

 private:
  const NodeReader& nodes_;
  std::vector<std::optional<std::size_t>> tensor_of_;  // by producer
  std::set<std::pair<OpId, OpId>> edges_;
};

Topology topology_from(JsonObject& object) {
  const std::int64_t memory_bytes = whole_bytes(object.required("maxSizePerFPGA"));
  const std::int64_t accelerators =
      object.required("maxFPGAs").integer(0, kMostImportedDevices - 1);
  const JsonCursor cores_cursor = object.required("maxCPUs");
  const std::int64_t cores = cores_cursor.integer(0, 65'536);
  if (cores + accelerators == 0) cores_cursor.fail("an accelerator or a CPU");
  std::vector<Device> devices;
  for (std::int64_t i = 0; i < accelerators; ++i) {
    Device& device = devices.emplace_back();
    device.name = fmt::format("fpga:{}", i);
    device.type = "fpga";
    device.memory_bytes = memory_bytes;
  }
  if (cores > 0) {
    Device& device = devices.emplace_back();
    device.name = "cpu:0";
    device.type = "cpu";
    device.memory_bytes = kRoomyBytes;
    device.slots = cores;
    device.host = true;
  }
  std::vector<Link> links;
  if (devices.size() > 1) links.push_back({"*", "*", kBytesPerSecond, 0, {}});
  return Topology(std::move(devices), std::move(links), Contention::kPorts, Transfers::kSerial);
}

Imported read(ImportSource& source, const ImportOptions&) {
  const JsonCursor root(source.json(), source.file());
  JsonObject object(root);
  Topology topology = topology_from(object);
  NodeReader nodes;
  const JsonCursor node_list = object.required("nodes");
  node_list.for_each_element([&](const JsonCursor& node) { nodes.read(node); });
  require_unique_names(source, nodes.ops, "nodes[{}].name");
  EdgeReader edges(nodes);
  const JsonCursor edge_list = object.required("edges");
  edge_list.for_each_element([&](const JsonCursor& edge) { edges.read(edge); });
  object.no_other_keys();
  return {.format = {},
          .graph =
              imported_graph(source, source.stem(), std::move(nodes.ops), std::move(edges.tensors)),
          .devices = std::move(topology)};
}

}  // namespace

Importer tarnawski_importer() {
  return {.format = {.name = {},
                     .summary = "latency and throughput inputs of Tarnawski et al.; edges cost "
                                "fixed times, the limits become accelerators and a CPU"},
          .recognises =
              [](ImportSource& source) {
                return source.has_keys({"maxFPGAs", "nodes", "edges"});
              },
          .read = read};
}

}  // namespace placer

#include "cli/report/page_data.hpp"

#include <fmt/format.h>

#include <charconv>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/report/page.hpp"
#include "cli/report/page_parts.hpp"

namespace placer {
namespace {

using Json = nlohmann::ordered_json;

Json names_of(const Topology& topology) {
  Json names = Json::array();
  for (const Device& device : topology.devices()) names.push_back(device.name);
  return names;
}

void add_ops(const Explanation& explanation, Json& data) {
  const Graph& graph = explanation.loaded->problem.graph();
  std::vector<int> critical(graph.ops().size(), 0);
  for (const OpId op : explanation.path.ops) critical[op.index()] = 1;
  std::map<std::string, std::size_t> types;
  for (const Op& op : graph.ops()) types.emplace(op.type, types.size());
  Json ops, names = Json::array(), type = Json::array();
  for (const Op& op : graph.ops()) {
    names.push_back(op.name);
    type.push_back(types[op.type]);
  }
  ops["name"] = std::move(names);
  ops["type"] = std::move(type);
  ops["unit"] = explanation.units.of;
  for (const OpRun& run : explanation.schedule.ops) {
    ops["device"].push_back(run.device.index());
    ops["begin"].push_back(to_seconds(run.start_ps));
    ops["end"].push_back(to_seconds(run.end_ps));
  }
  ops["critical"] = critical;
  data["types"] = std::vector<std::string>(types.size());
  for (const auto& [name, at] : types) data["types"][at] = name;
  for (const ModelUnits::Unit& unit : explanation.units.units) data["units"].push_back(unit.name);
  data["ops"] = std::move(ops);
}

/// The number of an op's micro-batch, as `pipelined` names it; -1 where it runs once.
int batch_of(const std::string& name) {
  if (!name.starts_with('m')) return -1;
  int batch = -1;
  const auto end = std::from_chars(name.data() + 1, name.data() + name.size(), batch);
  return end.ec == std::errc() && *end.ptr == '/' ? batch : -1;
}

/// By op, and by transfer that of the op that sends.
void add_batches(const Explanation& explanation, Json& data) {
  const Graph& graph = explanation.loaded->problem.graph();
  for (const Op& op : graph.ops()) data["ops"]["batch"].push_back(batch_of(op.name));
  Json& sent = data["transfers"]["batch"] = Json::array();
  for (const TransferRun& run : explanation.schedule.transfers) {
    sent.push_back(batch_of(graph.op(graph.tensor(run.tensor).producer).name));
  }
}

void add_tensors(const Graph& graph, Json& data) {
  Json from = Json::array(), to = Json::array(), bytes = Json::array();
  for (const Tensor& tensor : graph.tensors()) {
    Json readers = Json::array();
    for (const OpId reader : tensor.consumers) readers.push_back(reader.index());
    from.push_back(tensor.producer.index());
    to.push_back(std::move(readers));
    bytes.push_back(tensor.bytes);
  }
  data["tensors"] = {{"from", std::move(from)}, {"to", std::move(to)}, {"bytes", std::move(bytes)}};
}

/// The tracks of transfers: channels or, where nothing is shared, links.
class Tracks {
 public:
  explicit Tracks(const Topology& topology) : topology_(topology) {}

  std::vector<std::size_t> of(const TransferRun& run) {
    std::vector<std::size_t> tracks;
    const LinkChannels channels = topology_.channels(run.from, run.to);
    for (const ChannelId channel : channels)
      tracks.push_back(track(topology_.channel_name(channel)));
    if (channels.empty()) {
      tracks.push_back(
          track(topology_.device(run.from).name + " -> " + topology_.device(run.to).name));
    }
    return tracks;
  }
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::size_t track(const std::string& name) {
    const auto [at, is_new] = numbers_.emplace(name, names_.size());
    if (is_new) names_.push_back(name);
    return at->second;
  }

  const Topology& topology_;
  std::map<std::string, std::size_t> numbers_;
  std::vector<std::string> names_;
};

void add_transfers(const Explanation& explanation, Json& data) {
  const Problem& problem = explanation.loaded->problem;
  const Schedule& schedule = explanation.schedule;
  std::vector<int> critical(schedule.transfers.size(), 0);
  for (const std::size_t at : explanation.path.transfers) critical[at] = 1;
  Tracks tracks(problem.topology());
  Json columns;
  for (const char* name :
       {"name", "from", "to", "bytes", "requested", "begin", "end", "channels"}) {
    columns[name] = Json::array();
  }
  for (const TransferRun& run : schedule.transfers) {
    columns["name"].push_back(tensor_title(problem.graph(), run.tensor));
    columns["from"].push_back(run.from.index());
    columns["to"].push_back(run.to.index());
    columns["bytes"].push_back(problem.graph().tensor(run.tensor).bytes);
    columns["requested"].push_back(to_seconds(run.requested_ps));
    columns["begin"].push_back(to_seconds(run.begin_ps));
    columns["end"].push_back(to_seconds(run.end_ps));
    columns["channels"].push_back(tracks.of(run));
  }
  columns["critical"] = critical;
  data["channels"] = tracks.names();
  data["transfers"] = std::move(columns);
}

Json memory_json(const Explanation& explanation) {
  Json devices = Json::array();
  for (const auto& samples : memory_use(explanation.loaded->problem, explanation.schedule)) {
    Json time = Json::array(), bytes = Json::array();
    for (const MemorySample& sample : samples) {
      time.push_back(to_seconds(sample.time_ps));
      bytes.push_back(sample.bytes);
    }
    devices.push_back({{"time", std::move(time)}, {"bytes", std::move(bytes)}});
  }
  return devices;
}

std::string asked_text(const Report& report) {
  if (!report.searched) return "A given placement was simulated under these rules.";
  return "What it stands for, which a placement file (--output) holds, too: 'placer optimize GRAPH "
         "--config FILE' runs it again.";
}

}  // namespace

std::string page_data(const Report& report, const SearchFlags& search,
                      const Explanation& explanation) {
  Json data;
  data["title"] = fmt::format("{} on {}", report.loaded->graph_name, report.loaded->devices_name);
  data["answer"] = answer_sentences(report);
  data["asked"] = asked_text(report);
  data["request"] = Json::parse(request_json(report, search));
  data["report"] = Json::parse(json_report(report));
  data["explanation"] = Json::parse(explanation_json(explanation));
  data["devices"] = names_of(report.loaded->problem.topology());
  add_ops(explanation, data);
  add_tensors(report.loaded->problem.graph(), data);
  add_transfers(explanation, data);
  if (report.pipeline) add_batches(explanation, data);
  data["memory"] = memory_json(explanation);
  return script_json(data.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace placer

#include "cli/report/page_data.hpp"

#include <fmt/format.h>

#include <charconv>
#include <initializer_list>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/report/page.hpp"
#include "cli/report/page_parts.hpp"

namespace placer {
namespace {

std::string json_text(const nlohmann::json& value) {
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Members are JSON.
std::string object_text(std::initializer_list<std::pair<const char*, std::string>> members) {
  std::string text = "{";
  for (const auto& [name, value] : members) {
    if (text.size() > 1) text += ',';
    fmt::format_to(std::back_inserter(text), "\"{}\":{}", name, value);
  }
  return text + "}";
}

/// `value` makes a number, or JSON, of each.
template <class Range, class Value>
std::string array_text(const Range& range, Value value) {
  std::string text = "[";
  for (const auto& each : range) {
    if (text.size() > 1) text += ',';
    fmt::format_to(std::back_inserter(text), "{}", value(each));
  }
  return text + "]";
}

template <class Range>
std::string array_text(const Range& range) {
  return array_text(range, [](const auto& each) { return each; });
}

std::string names_text(const Topology& topology) {
  return array_text(topology.devices(),
                    [](const Device& device) { return json_text(device.name); });
}

struct Types {
  std::vector<std::string> names;
  std::vector<std::size_t> of;  // by op
};

/// The types by their first ops.
Types types_of(const Graph& graph) {
  Types types;
  std::map<std::string, std::size_t> numbers;
  for (const Op& op : graph.ops()) {
    const auto [at, is_new] = numbers.emplace(op.type, numbers.size());
    if (is_new) types.names.push_back(op.type);
    types.of.push_back(at->second);
  }
  return types;
}

/// The number of an op's micro-batch, as `pipelined` names it; -1 where it runs once.
int batch_of(const std::string& name) {
  if (!name.starts_with('m')) return -1;
  int batch = -1;
  const auto end = std::from_chars(name.data() + 1, name.data() + name.size(), batch);
  return end.ec == std::errc() && *end.ptr == '/' ? batch : -1;
}

std::string ops_text(const Explanation& explanation, const Types& types, bool in_batches) {
  const std::vector<Op>& ops = explanation.loaded->problem.graph().ops();
  const std::vector<OpRun>& runs = explanation.schedule.ops;
  std::vector<int> critical(ops.size(), 0);
  for (const OpId op : explanation.path.ops) critical[op.index()] = 1;
  return object_text(
      {{"name", array_text(ops, [](const Op& op) { return json_text(op.name); })},
       {"type", array_text(types.of)},
       {"unit", array_text(explanation.units.of)},
       {"device", array_text(runs, [](const OpRun& run) { return run.device.index(); })},
       {"begin", array_text(runs, [](const OpRun& run) { return to_seconds(run.start_ps); })},
       {"end", array_text(runs, [](const OpRun& run) { return to_seconds(run.end_ps); })},
       {"critical", array_text(critical)},
       {"batch",
        in_batches ? array_text(ops, [](const Op& op) { return batch_of(op.name); }) : "null"}});
}

std::string tensors_text(const Graph& graph) {
  const auto readers = [](const Tensor& tensor) {
    return array_text(tensor.consumers, [](OpId op) { return op.index(); });
  };
  const std::vector<Tensor>& tensors = graph.tensors();
  return object_text(
      {{"from", array_text(tensors, [](const Tensor& each) { return each.producer.index(); })},
       {"to", array_text(tensors, readers)},
       {"bytes", array_text(tensors, [](const Tensor& each) { return each.bytes; })}});
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

/// `in_batches`: with the micro-batch of the op that sends.
std::string transfers_text(const Explanation& explanation, Tracks& tracks, bool in_batches) {
  const Graph& graph = explanation.loaded->problem.graph();
  const std::vector<TransferRun>& runs = explanation.schedule.transfers;
  std::vector<int> critical(runs.size(), 0);
  for (const std::size_t at : explanation.path.transfers) critical[at] = 1;
  const auto column = [&](auto value) { return array_text(runs, value); };
  const auto batch = [&](const TransferRun& run) {
    return batch_of(graph.op(graph.tensor(run.tensor).producer).name);
  };
  return object_text(
      {{"name",
        column([&](const TransferRun& run) { return json_text(tensor_title(graph, run.tensor)); })},
       {"from", column([](const TransferRun& run) { return run.from.index(); })},
       {"to", column([](const TransferRun& run) { return run.to.index(); })},
       {"bytes", column([&](const TransferRun& run) { return graph.tensor(run.tensor).bytes; })},
       {"requested", column([](const TransferRun& run) { return to_seconds(run.requested_ps); })},
       {"begin", column([](const TransferRun& run) { return to_seconds(run.begin_ps); })},
       {"end", column([](const TransferRun& run) { return to_seconds(run.end_ps); })},
       {"channels", column([&](const TransferRun& run) { return array_text(tracks.of(run)); })},
       {"critical", array_text(critical)},
       {"batch", in_batches ? column(batch) : "null"}});
}

std::string memory_text(const Explanation& explanation) {
  const auto device = [](const std::vector<MemorySample>& samples) {
    return object_text(
        {{"time",
          array_text(samples, [](const MemorySample& at) { return to_seconds(at.time_ps); })},
         {"bytes", array_text(samples, [](const MemorySample& at) { return at.bytes; })}});
  };
  return array_text(memory_use(explanation.loaded->problem, explanation.schedule), device);
}

std::string asked_text(const Report& report) {
  if (!report.searched) return "A given placement was simulated under these rules.";
  return "What it stands for, which a placement file (--output) holds, too: 'placer optimize GRAPH "
         "--config FILE' runs it again.";
}

}  // namespace

std::string page_data(const Report& report, const SearchFlags& search,
                      const Explanation& explanation) {
  const Graph& graph = report.loaded->problem.graph();
  const Topology& topology = report.loaded->problem.topology();
  const bool in_batches = report.pipeline.has_value();
  const Types types = types_of(graph);
  Tracks tracks(topology);
  const std::string transfers = transfers_text(explanation, tracks, in_batches);
  const auto unit = [](const ModelUnits::Unit& each) { return json_text(each.name); };
  return script_json(object_text(
      {{"title",
        json_text(fmt::format("{} on {}", report.loaded->graph_name, report.loaded->devices_name))},
       {"answer", json_text(answer_sentences(report))},
       {"asked", json_text(asked_text(report))},
       {"request", request_json(report, search)},
       {"report", json_report(report)},
       {"explanation", explanation_json(explanation)},
       {"devices", names_text(topology)},
       {"types", json_text(types.names)},
       {"units", array_text(explanation.units.units, unit)},
       {"ops", ops_text(explanation, types, in_batches)},
       {"tensors", tensors_text(graph)},
       {"channels", json_text(tracks.names())},
       {"transfers", transfers},
       {"memory", memory_text(explanation)}}));
}

}  // namespace placer

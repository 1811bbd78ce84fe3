#include "placer/io/trace_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "io/json/writer.hpp"
#include "placer/sim/critical_path.hpp"
#include "placer/sim/memory_use.hpp"

namespace placer {
namespace {

constexpr int kDevices = 1, kChannels = 2;  // the trace's processes

/// An end of an arrow, or where it passes.
struct FlowPoint {
  const char* phase;
  std::size_t id;
};

struct Span {
  std::string name;
  const char* category;
  Picoseconds start_ps, end_ps;
  bool is_critical;
  std::string args;  // a JSON object
  std::vector<FlowPoint> flows;
};

/// Whole picoseconds are six decimals of a microsecond: "0.25", "1000000".
std::string microseconds(Picoseconds time) {
  std::string text = fmt::format("{}.{:06}", time / 1'000'000, time % 1'000'000);
  text.resize(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

/// Splits spans that may overlap into as few lanes as needed, none of which overlaps.
std::vector<std::vector<Span>> lanes_of(std::vector<Span> spans) {
  std::ranges::stable_sort(spans, [](const Span& a, const Span& b) {
    return std::pair(a.start_ps, a.end_ps) < std::pair(b.start_ps, b.end_ps);
  });
  std::vector<std::vector<Span>> lanes;
  for (Span& span : spans) {
    const auto free = [&](const std::vector<Span>& lane) {
      return lane.back().end_ps <= span.start_ps;
    };
    const auto lane = std::ranges::find_if(lanes, free);
    if (lane == lanes.end()) {
      lanes.push_back({std::move(span)});
    } else {
      lane->push_back(std::move(span));
    }
  }
  return lanes;
}

class TraceWriter {
 public:
  TraceWriter() : writer_({.indent = 0, .spaces = false}) {
    writer_.begin_object();
    writer_.member("displayTimeUnit", "ms");
    writer_.key("traceEvents");
    writer_.begin_array(JsonWriter::Layout::kLines);
    metadata(kDevices, 0, "process_name", "name", "devices");
    metadata(kChannels, 0, "process_name", "name", "channels");
  }

  /// One track, or several where spans overlap: "gpu:0", "gpu:0 slot 2", ...
  void add_tracks(int process, const std::string& name, const std::string& lane_word,
                  std::vector<Span> spans) {
    const std::vector<std::vector<Span>> lanes = lanes_of(std::move(spans));
    for (std::size_t lane = 0; lane < std::max<std::size_t>(lanes.size(), 1); ++lane) {
      const std::string suffix = lane == 0 ? "" : fmt::format(" {} {}", lane_word, lane + 1);
      metadata(process, ++track_, "thread_name", "name", name + suffix);
      metadata(process, track_, "thread_sort_index", "sort_index", track_);
      if (lane >= lanes.size()) continue;
      for (const Span& span : lanes[lane]) add_span(process, span);
    }
  }

  void add_memory(const std::string& device, const std::vector<MemorySample>& samples) {
    for (const MemorySample& sample : samples) {
      begin_event("C", kDevices, 0);
      writer_.member("name", device + " memory");
      time(sample.time_ps);
      writer_.key("args");
      writer_.begin_object();
      writer_.member("bytes", sample.bytes);
      writer_.end_object();
      writer_.end_object();
    }
  }

  std::string finish() && {
    writer_.end_array();
    writer_.end_object();
    return std::move(writer_).take() + "\n";
  }

 private:
  /// A begin and an end: of one span the end is the next one's begin to the last bit, whatever a
  /// reader makes of decimals. A span of no time says all of itself twice, as speedscope tells
  /// which end is whose by that.
  void add_span(int process, const Span& span) {
    begin_event("B", process, track_);
    writer_.member("name", span.name);
    writer_.member("cat", span.category);
    time(span.start_ps);
    if (span.is_critical) writer_.member("cname", "terrible");
    args(span);
    writer_.end_object();
    for (const FlowPoint& point : span.flows) add_flow(process, point, span.start_ps);
    begin_event("E", process, track_);
    writer_.member("name", span.name);
    time(span.end_ps);
    if (span.start_ps == span.end_ps) args(span);
    writer_.end_object();
  }

  void args(const Span& span) {
    writer_.key("args");
    writer_.json(span.args);
  }

  void add_flow(int process, const FlowPoint& point, Picoseconds time_ps) {
    begin_event(point.phase, process, track_);
    writer_.member("name", "transfer");
    writer_.member("cat", "flow");
    writer_.member("id", point.id);
    time(time_ps);
    if (point.phase == std::string_view("f")) writer_.member("bp", "e");  // ends at this span
    writer_.end_object();
  }

  template <class Value>
  void metadata(int process, int track, const char* what, const char* key, const Value& value) {
    begin_event("M", process, track);
    writer_.member("name", what);
    writer_.key("args");
    writer_.begin_object();
    writer_.member(key, value);
    writer_.end_object();
    writer_.end_object();
  }

  void begin_event(const char* phase, int process, int track) {
    writer_.begin_object();
    writer_.member("ph", phase);
    writer_.member("pid", process);
    writer_.member("tid", track);
  }

  void time(Picoseconds time_ps) {
    writer_.key("ts");
    writer_.json(microseconds(time_ps));
  }

  JsonWriter writer_;
  int track_ = 0;
};

/// The spans of a schedule, with the arrows between them and the critical path marked.
class Spans {
 public:
  Spans(const Problem& problem, const Schedule& schedule)
      : problem_(problem),
        schedule_(schedule),
        of_op_(schedule.ops.size()),
        of_transfer_(schedule.transfers.size()),
        op_is_critical_(schedule.ops.size(), 0),
        transfer_is_critical_(schedule.transfers.size(), 0) {
    const CriticalPath path = critical_path(problem, schedule);
    for (const OpId op : path.ops) op_is_critical_[op.index()] = 1;
    for (const std::size_t transfer : path.transfers) transfer_is_critical_[transfer] = 1;
    add_flows();
  }

  std::vector<Span> of_device(DeviceId device) const {
    std::vector<Span> spans;
    for (const OpRun& run : schedule_.ops) {
      if (run.device != device) continue;
      const Op& op = problem_.graph().op(run.op);
      JsonWriter args({.spaces = false});
      args.begin_object();
      args.member("type", op.type);
      args.member("group", op.group);
      args.member("params_bytes", op.params_bytes);
      const bool is_critical = op_is_critical_[run.op.index()] != 0;
      spans.push_back({op.name, "op", run.start_ps, run.end_ps, is_critical,
                       finished(std::move(args), is_critical), of_op_[run.op.index()]});
    }
    return spans;
  }

  Span of_transfer(std::size_t transfer) const {
    const TransferRun& run = schedule_.transfers[transfer];
    const Tensor& tensor = problem_.graph().tensor(run.tensor);
    const std::string& producer = problem_.graph().op(tensor.producer).name;
    JsonWriter args({.spaces = false});
    args.begin_object();
    args.member("producer", producer);
    args.member("from", problem_.topology().device(run.from).name);
    args.member("to", problem_.topology().device(run.to).name);
    args.member("bytes", tensor.bytes);
    args.key("requested_us");
    args.json(microseconds(run.requested_ps));
    args.key("waited_us");
    args.json(microseconds(run.begin_ps - run.requested_ps));
    const bool is_critical = transfer_is_critical_[transfer] != 0;
    return {tensor.name.empty() ? producer : tensor.name,
            "transfer",
            run.begin_ps,
            run.end_ps,
            is_critical,
            finished(std::move(args), is_critical),
            of_transfer_[transfer]};
  }

 private:
  static std::string finished(JsonWriter args, bool is_critical) {
    if (is_critical) args.member("critical", true);
    args.end_object();
    return std::move(args).take();
  }

  /// An arrow from the producer through the transfer to each consumer on the other device.
  void add_flows() {
    std::size_t id = 0;
    for (std::size_t transfer = 0; transfer < schedule_.transfers.size(); ++transfer) {
      const TransferRun& run = schedule_.transfers[transfer];
      const Tensor& tensor = problem_.graph().tensor(run.tensor);
      for (const OpId consumer : tensor.consumers) {
        if (schedule_.ops[consumer.index()].device != run.to) continue;
        of_op_[tensor.producer.index()].push_back({"s", ++id});
        of_transfer_[transfer].push_back({"t", id});
        of_op_[consumer.index()].push_back({"f", id});
      }
    }
  }

  const Problem& problem_;
  const Schedule& schedule_;
  std::vector<std::vector<FlowPoint>> of_op_, of_transfer_;
  std::vector<char> op_is_critical_, transfer_is_critical_;
};

void add_channels(const Problem& problem, const Schedule& schedule, const Spans& spans,
                  TraceWriter& writer) {
  const Topology& topology = problem.topology();
  std::map<ChannelId, std::vector<Span>> by_channel;
  std::map<std::string, std::vector<Span>> without_channel;  // by link
  for (std::size_t transfer = 0; transfer < schedule.transfers.size(); ++transfer) {
    const TransferRun& run = schedule.transfers[transfer];
    Span span = spans.of_transfer(transfer);
    const LinkChannels channels = topology.channels(run.from, run.to);
    for (const ChannelId channel : channels) {
      by_channel[channel].push_back(span);
      span.flows.clear();  // an arrow passes one of the channels
    }
    if (channels.empty()) {
      without_channel[topology.device(run.from).name + " -> " + topology.device(run.to).name]
          .push_back(std::move(span));
    }
  }
  for (auto& [channel, own] : by_channel) {
    writer.add_tracks(kChannels, topology.channel_name(channel), "lane", std::move(own));
  }
  for (auto& [link, own] : without_channel) {
    writer.add_tracks(kChannels, link, "lane", std::move(own));
  }
}

}  // namespace

std::string chrome_trace(const Problem& problem, const Schedule& schedule) {
  const Spans spans(problem, schedule);
  const std::vector<std::vector<MemorySample>> memory = memory_use(problem, schedule);
  TraceWriter writer;
  for (const DeviceId device : IdRange<DeviceId>(problem.device_count())) {
    const std::string& name = problem.topology().device(device).name;
    writer.add_tracks(kDevices, name, "slot", spans.of_device(device));
    writer.add_memory(name, memory[device.index()]);
  }
  add_channels(problem, schedule, spans, writer);
  return std::move(writer).finish();
}

}  // namespace placer

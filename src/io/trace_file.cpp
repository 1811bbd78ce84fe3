#include "placer/io/trace_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "io/json/writer.hpp"

namespace placer {
namespace {

constexpr int kDevices = 1, kChannels = 2;  // the trace's processes

struct Slice {
  std::string name;
  Picoseconds start_ps, end_ps;
  std::string args;  // a JSON object
};

double microseconds(Picoseconds time) { return static_cast<double>(time) / 1e6; }

/// Splits slices that may overlap into as few lanes as needed, none of which overlaps.
std::vector<std::vector<Slice>> lanes_of(std::vector<Slice> slices) {
  std::ranges::stable_sort(slices, [](const Slice& a, const Slice& b) {
    return std::pair(a.start_ps, a.end_ps) < std::pair(b.start_ps, b.end_ps);
  });
  std::vector<std::vector<Slice>> lanes;
  for (Slice& slice : slices) {
    const auto free = [&](const std::vector<Slice>& lane) {
      return lane.back().end_ps <= slice.start_ps;
    };
    const auto lane = std::ranges::find_if(lanes, free);
    if (lane == lanes.end()) {
      lanes.push_back({std::move(slice)});
    } else {
      lane->push_back(std::move(slice));
    }
  }
  return lanes;
}

class TraceWriter {
 public:
  TraceWriter() {
    metadata(kDevices, 0, "process_name", "devices");
    metadata(kChannels, 0, "process_name", "channels");
  }

  /// One track, or several where slices overlap: "gpu:0", "gpu:0 slot 2", ...
  void add_tracks(int process, const std::string& name, const std::string& lane_word,
                  std::vector<Slice> slices) {
    const std::vector<std::vector<Slice>> lanes = lanes_of(std::move(slices));
    for (std::size_t lane = 0; lane < std::max<std::size_t>(lanes.size(), 1); ++lane) {
      const std::string suffix = lane == 0 ? "" : fmt::format(" {} {}", lane_word, lane + 1);
      metadata(process, ++track_, "thread_name", name + suffix);
      sort_index(process, track_);
      if (lane >= lanes.size()) continue;
      for (const Slice& slice : lanes[lane]) add_slice(process, slice);
    }
  }

  std::string finish() && {
    return "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n" + std::move(events_) + "\n]}\n";
  }

 private:
  void add_slice(int process, const Slice& slice) {
    event(fmt::format(R"({{"ph":"X","pid":{},"tid":{},"name":{},"ts":{},"dur":{},"args":{}}})",
                      process, track_, json_quoted(slice.name), microseconds(slice.start_ps),
                      microseconds(slice.end_ps - slice.start_ps), slice.args));
  }

  void metadata(int process, int track, const char* key, const std::string& name) {
    event(fmt::format(R"({{"ph":"M","pid":{},"tid":{},"name":"{}","args":{{"name":{}}}}})", process,
                      track, key, json_quoted(name)));
  }

  void sort_index(int process, int track) {
    event(fmt::format(
        R"({{"ph":"M","pid":{},"tid":{},"name":"thread_sort_index","args":{{"sort_index":{}}}}})",
        process, track, track));
  }

  void event(const std::string& text) {
    if (!events_.empty()) events_ += ",\n";
    events_ += text;
  }

  std::string events_;
  int track_ = 0;
};

std::vector<Slice> slices_of_device(const Problem& problem, const Schedule& schedule,
                                    DeviceId device) {
  std::vector<Slice> slices;
  for (const OpRun& run : schedule.ops) {
    if (run.device != device) continue;
    const Op& op = problem.graph().op(run.op);
    slices.push_back({op.name, run.start_ps, run.end_ps,
                      fmt::format(R"({{"type":{},"group":{},"params_bytes":{}}})",
                                  json_quoted(op.type), json_quoted(op.group), op.params_bytes)});
  }
  return slices;
}

Slice slice_of_transfer(const Problem& problem, const TransferRun& run) {
  const Tensor& tensor = problem.graph().tensor(run.tensor);
  const std::string& from = problem.topology().device(run.from).name;
  const std::string& to = problem.topology().device(run.to).name;
  const std::string& producer = problem.graph().op(tensor.producer).name;
  return {tensor.name.empty() ? producer : tensor.name, run.begin_ps, run.end_ps,
          fmt::format(
              R"({{"producer":{},"from":{},"to":{},"bytes":{},"requested_us":{},"waited_us":{}}})",
              json_quoted(producer), json_quoted(from), json_quoted(to), tensor.bytes,
              microseconds(run.requested_ps), microseconds(run.begin_ps - run.requested_ps))};
}

}  // namespace

std::string chrome_trace(const Problem& problem, const Schedule& schedule) {
  const Topology& topology = problem.topology();
  TraceWriter writer;
  for (const DeviceId device : IdRange<DeviceId>(topology.devices().size())) {
    writer.add_tracks(kDevices, topology.device(device).name, "slot",
                      slices_of_device(problem, schedule, device));
  }
  std::vector<std::vector<Slice>> by_channel(topology.channel_names().size());
  std::map<std::string, std::vector<Slice>> without_channel;  // by link
  for (const TransferRun& run : schedule.transfers) {
    const std::vector<ChannelId>& channels = topology.route(run.from, run.to)->channels;
    for (const ChannelId channel : channels) {
      by_channel[channel.index()].push_back(slice_of_transfer(problem, run));
    }
    if (channels.empty()) {
      without_channel[topology.device(run.from).name + " -> " + topology.device(run.to).name]
          .push_back(slice_of_transfer(problem, run));
    }
  }
  for (std::size_t channel = 0; channel < by_channel.size(); ++channel) {
    writer.add_tracks(kChannels, topology.channel_names()[channel], "lane",
                      std::move(by_channel[channel]));
  }
  for (auto& [link, slices] : without_channel) {
    writer.add_tracks(kChannels, link, "lane", std::move(slices));
  }
  return std::move(writer).finish();
}

}  // namespace placer

#include "placer/io/trace_file.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "placer/sim/simulator.hpp"
#include "support/problems.hpp"

namespace placer {
namespace {

using nlohmann::json;

struct Event {
  std::string name;
  Picoseconds begin_ps, end_ps;
  json args;
};

struct Trace {
  std::map<int, std::string> processes;
  std::map<std::pair<int, int>, std::string> track_names;  // by process and track
  std::map<std::pair<int, int>, std::vector<Event>> tracks;

  std::vector<std::string> names(int process) const {
    std::vector<std::string> names;
    for (const auto& [track, name] : track_names) {
      if (track.first == process) names.push_back(name);
    }
    return names;
  }
  std::vector<Event> on(const std::string& track_name) const {
    for (const auto& [track, name] : track_names) {
      if (name == track_name && tracks.contains(track)) return tracks.at(track);
    }
    return {};
  }
};

Trace read_trace(const std::string& text) {
  Trace trace;
  const json file = json::parse(text);
  for (const json& event : file.at("traceEvents")) {
    const std::pair track{event.at("pid").get<int>(), event.at("tid").get<int>()};
    if (event.at("ph") == "M") {
      const json& args = event.at("args");
      if (event.at("name") == "process_name") trace.processes[track.first] = args.at("name");
      if (event.at("name") == "thread_name") trace.track_names[track] = args.at("name");
      continue;
    }
    REQUIRE(event.at("ph") == "X");
    const auto picoseconds = [&](const char* key) {
      return static_cast<Picoseconds>(std::llround(event.at(key).get<double>() * 1e6));
    };
    const Picoseconds begin = picoseconds("ts");
    trace.tracks[track].push_back(
        {event.at("name"), begin, begin + picoseconds("dur"), event.at("args")});
  }
  return trace;
}

Trace trace_of(const Problem& problem, const Placement& placement, Schedule* schedule = nullptr) {
  Schedule own;
  if (schedule == nullptr) schedule = &own;
  Simulator(problem, Order::kFifo).evaluate(placement, nullptr, schedule);
  return read_trace(chrome_trace(problem, *schedule));
}

/// 3 ops of 1 s fed by one, over `contention`: op0 on gpu:0, the others on gpu:1.
Trace fan_out(Contention contention, std::int64_t slots) {
  const Problem problem(testing::fork_join(3, 2),
                        testing::alike({.contention = contention, .slots = slots}));
  return trace_of(problem, testing::on_devices({0, 1, 1, 1, 1}));
}

}  // namespace

TEST_CASE("A trace has a process of devices and one of channels, with a named track for each") {
  const Problem problem(testing::chain(2, 3), testing::alike());
  const Trace trace = trace_of(problem, testing::on_devices({0, 1}));
  CHECK(trace.processes == std::map<int, std::string>{{1, "devices"}, {2, "channels"}});
  CHECK(trace.names(1) == std::vector<std::string>{"gpu:0", "gpu:1"});
  CHECK(trace.names(2) == std::vector<std::string>{"gpu:0 -> gpu:1", "gpu:1 -> gpu:0"});
  const std::vector<Event> sent = trace.on("gpu:0 -> gpu:1");
  REQUIRE(sent.size() == 1);  // op0 0-1 s, transfer 1-4 s, op1 4-5 s
  CHECK(sent[0].begin_ps == 1'000'000'000'000);
  CHECK(sent[0].end_ps == 4'000'000'000'000);
  CHECK(sent[0].args.at("bytes") == 3);
  CHECK(sent[0].args.at("from") == "gpu:0");
  CHECK(sent[0].args.at("to") == "gpu:1");
  CHECK(sent[0].args.at("requested_us") == 1e6);
  CHECK(sent[0].args.at("waited_us") == 0);
  REQUIRE(trace.on("gpu:1").size() == 1);
  CHECK(trace.on("gpu:1")[0].name == "op1");
  CHECK(trace.on("gpu:1")[0].begin_ps == 4'000'000'000'000);
}

TEST_CASE("Slots in use have tracks of their own") {
  const Trace trace = fan_out(Contention::kLink, 8);
  CHECK(trace.names(1) ==
        std::vector<std::string>{"gpu:0", "gpu:1", "gpu:1 slot 2", "gpu:1 slot 3"});
  CHECK(trace.on("gpu:1 slot 3").size() == 1);
}

TEST_CASE("A transfer over two channels shows on both") {
  const Trace trace = fan_out(Contention::kPorts, 1);
  const auto names = trace.names(2);
  CHECK(std::set<std::string>(names.begin(), names.end()) ==
        std::set<std::string>{"gpu:0 out", "gpu:1 in", "gpu:1 out", "gpu:0 in"});
  CHECK(trace.on("gpu:0 out").size() == 1);
  CHECK(trace.on("gpu:1 in").size() == 1);
  CHECK(trace.on("gpu:1 out").empty());
}

TEST_CASE("A transfer that waited for its channel says for how long") {
  const Problem problem(testing::graph_of({testing::timed_op("a", 1), testing::timed_op("b", 1)},
                                          {testing::tensor(0, {1}, 2), testing::tensor(0, {1}, 5)}),
                        testing::alike());
  const std::vector<Event> sent =
      trace_of(problem, testing::on_devices({0, 1})).on("gpu:0 -> gpu:1");
  REQUIRE(sent.size() == 2);
  CHECK(sent[1].args.at("requested_us") == 1e6);
  CHECK(sent[1].args.at("waited_us") == 2e6);
}

TEST_CASE("Transfers that share no channel get as many tracks of their link as they need") {
  const Problem problem(testing::graph_of({testing::timed_op("a", 1), testing::timed_op("b", 1)},
                                          {testing::tensor(0, {1}, 2), testing::tensor(0, {1}, 5)}),
                        testing::alike({.contention = Contention::kNone}));
  const Trace trace = trace_of(problem, testing::on_devices({0, 1}));
  CHECK(trace.names(2) == std::vector<std::string>{"gpu:0 -> gpu:1", "gpu:0 -> gpu:1 lane 2"});
}

TEST_CASE("Nothing overlaps on a track, and nothing is lost, on random problems") {
  Rng rng(5);
  for (int i = 0; i < 300; ++i) {
    const Problem problem = testing::random_problem(rng);
    Schedule schedule;
    const Trace trace = trace_of(problem, testing::random_placement(problem, rng), &schedule);
    std::size_t shown[3] = {0, 0, 0};
    for (const auto& [track, events] : trace.tracks) {
      REQUIRE(trace.track_names.contains(track));
      shown[track.first] += events.size();
      for (std::size_t e = 1; e < events.size(); ++e) {
        REQUIRE(events[e - 1].end_ps <= events[e].begin_ps);
      }
    }
    std::size_t on_channels = 0;
    for (const TransferRun& run : schedule.transfers) {
      on_channels +=
          std::max<std::size_t>(problem.topology().route(run.from, run.to)->channels.size(), 1);
    }
    CHECK(shown[1] == problem.op_count());
    CHECK(shown[2] == on_channels);
    const std::vector<std::string> names = trace.names(1);
    CHECK(std::set<std::string>(names.begin(), names.end()).size() == names.size());
  }
}

TEST_CASE("Names with quotes and backslashes leave the trace valid JSON") {
  const Problem problem(testing::graph_of({testing::timed_op("a\"\\b", 1)}, {}), testing::alike());
  CHECK(trace_of(problem, testing::on_devices({0})).on("gpu:0").at(0).name == "a\"\\b");
}

}  // namespace placer

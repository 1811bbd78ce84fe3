#include "placer/io/trace_file.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
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
  std::string name, category;
  double begin_us, end_us;  // as a reader of doubles has them
  json args;
  json end;  // the event that ends it
  std::string cname;

  Picoseconds begin_ps() const { return std::llround(begin_us * 1e6); }
  Picoseconds end_ps() const { return std::llround(end_us * 1e6); }
};

struct FlowEvent {
  std::string phase;
  std::pair<int, int> track;
  double time_us;
};

using Samples = std::vector<std::pair<double, std::int64_t>>;  // microseconds, bytes

struct Trace {
  std::map<int, std::string> processes;
  std::map<std::pair<int, int>, std::string> track_names;  // by process and track
  std::map<std::pair<int, int>, std::vector<Event>> tracks;
  std::map<int, std::vector<FlowEvent>> flows;  // by id
  std::map<std::string, Samples> counters;

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

void read_event(const json& event, const std::pair<int, int>& track, Trace& trace) {
  const std::string phase = event.at("ph");
  const double time_us = event.at("ts");
  if (phase == "B") {
    trace.tracks[track].push_back({event.at("name"), event.at("cat"), time_us, -1, event.at("args"),
                                   json(), event.value("cname", "")});
  } else if (phase == "E") {
    Event& begun = trace.tracks.at(track).back();
    REQUIRE(begun.name == event.at("name"));
    REQUIRE(begun.end.is_null());
    begun.end_us = time_us;
    begun.end = event;
  } else if (phase == "C") {
    trace.counters[event.at("name")].emplace_back(time_us, event.at("args").at("bytes"));
  } else {
    REQUIRE((phase == "s" || phase == "t" || (phase == "f" && event.at("bp") == "e")));
    trace.flows[event.at("id")].push_back({phase, track, time_us});
  }
}

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
    read_event(event, track, trace);
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

TEST_CASE(
    "A trace has a process of devices and one of channels that carried something, a track each") {
  const Problem problem(testing::chain(2, 3), testing::alike());
  const Trace trace = trace_of(problem, testing::on_devices({0, 1}));
  CHECK(trace.processes == std::map<int, std::string>{{1, "devices"}, {2, "channels"}});
  CHECK(trace.names(1) == std::vector<std::string>{"gpu:0", "gpu:1"});
  CHECK(trace.names(2) == std::vector<std::string>{"gpu:0 -> gpu:1"});  // nothing went back
  const std::vector<Event> sent = trace.on("gpu:0 -> gpu:1");
  REQUIRE(sent.size() == 1);  // op0 0-1 s, transfer 1-4 s, op1 4-5 s
  CHECK(sent[0].category == "transfer");
  CHECK(sent[0].begin_us == 1e6);
  CHECK(sent[0].end_us == 4e6);
  CHECK(sent[0].args.at("bytes") == 3);
  CHECK(sent[0].args.at("from") == "gpu:0");
  CHECK(sent[0].args.at("to") == "gpu:1");
  CHECK(sent[0].args.at("requested_us") == 1e6);
  CHECK(sent[0].args.at("waited_us") == 0);
  REQUIRE(trace.on("gpu:1").size() == 1);
  CHECK(trace.on("gpu:1")[0].name == "op1");
  CHECK(trace.on("gpu:1")[0].category == "op");
  CHECK(trace.on("gpu:1")[0].begin_us == 4e6);
}

TEST_CASE("An arrow leads from an op through its output's transfer to each consumer there") {
  const Problem problem(testing::fork_join(2, 3), testing::alike());
  // op0 on gpu:0 feeds op1 and op2 on gpu:1; op3 is with them.
  const Trace trace = trace_of(problem, testing::on_devices({0, 1, 1, 1}));
  const auto track = [&](const std::string& name) {
    for (const auto& [found, own] : trace.track_names) {
      if (own == name) return found;
    }
    return std::pair(0, 0);
  };
  REQUIRE(trace.flows.size() == 2);
  double consumed_us = 4e6;  // op1 at 4 s, op2 at 5 s
  for (const auto& [id, points] : trace.flows) {
    REQUIRE(points.size() == 3);
    std::map<std::string, FlowEvent> by_phase;
    for (const FlowEvent& point : points) by_phase.emplace(point.phase, point);
    CHECK(by_phase.at("s").track == track("gpu:0"));
    CHECK(by_phase.at("s").time_us == 0);
    CHECK(by_phase.at("t").track == track("gpu:0 -> gpu:1"));
    CHECK(by_phase.at("t").time_us == 1e6);
    CHECK(by_phase.at("f").track == track("gpu:1"));
    CHECK(by_phase.at("f").time_us == consumed_us);
    consumed_us += 1e6;
  }
}

TEST_CASE("A counter for each device is what its memory holds over time") {
  const Problem problem(testing::chain(2, 3), testing::alike());
  const Trace trace = trace_of(problem, testing::on_devices({0, 1}));
  // op0 0-1 s, its 3 bytes travel 1-4 s, op1 4-5 s.
  CHECK(trace.counters.at("gpu:0 memory") == Samples{{0, 3}, {4e6, 0}});
  CHECK(trace.counters.at("gpu:1 memory") == Samples{{0, 0}, {1e6, 3}, {5e6, 0}});
}

TEST_CASE("What the step waited for is marked, and nothing else") {
  // a 0-1 s, its byte travels 1-2 s, b 2-3 s on gpu:1; c 0-0.5 s there.
  const Problem problem(
      testing::graph_of(testing::seconds_each({1, 1, 0.5}), {testing::tensor(0, {1}, 1)}),
      testing::alike());
  const Trace trace = trace_of(problem, testing::on_devices({0, 1, 1}));
  std::map<std::string, bool> critical;
  for (const std::string name : {"gpu:0", "gpu:1"}) {
    for (const Event& event : trace.on(name)) {
      critical[event.name] = event.args.value("critical", false);
      CHECK((event.cname == "terrible") == critical[event.name]);
    }
  }
  CHECK(critical == std::map<std::string, bool>{{"op0", true}, {"op1", true}, {"op2", false}});
  CHECK(trace.on("gpu:0 -> gpu:1").at(0).args.value("critical", false));
}

TEST_CASE("Times are all their picoseconds in decimals") {
  const Problem problem(testing::graph_of(testing::seconds_each({1e-12, 0.25}), {}),
                        testing::alike());
  Schedule schedule;
  Simulator(problem, Order::kFifo).evaluate(testing::on_devices({0, 0}), nullptr, &schedule);
  const std::string text = chrome_trace(problem, schedule);
  CHECK_THAT(text, Catch::Contains("\"name\":\"op0\",\"ts\":0.000001}") &&
                       Catch::Contains("\"name\":\"op1\",\"ts\":250000.000001}"));
}

TEST_CASE("An op that takes no time ends as it begins, and says at both who it is") {
  const Problem problem(testing::graph_of(testing::seconds_each({1, 0, 1}), {}), testing::alike());
  const std::vector<Event> events = trace_of(problem, testing::on_devices({0, 0, 0})).on("gpu:0");
  REQUIRE(events.size() == 3);
  const Event& instant = events[1];  // op0 0-1 s, op1 at 1 s, op2 1-2 s
  CHECK(instant.name == "op1");
  CHECK(instant.begin_us == 1e6);
  CHECK(instant.end_us == 1e6);
  CHECK(instant.end.at("args") == instant.args);
  CHECK_FALSE(events[0].end.contains("args"));
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
        std::set<std::string>{"gpu:0 out", "gpu:1 in"});
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
    std::map<std::string, std::size_t> op_of;
    for (const Op& op : problem.graph().ops()) op_of.emplace(op.name, op_of.size());
    for (const auto& [track, events] : trace.tracks) {
      REQUIRE(trace.track_names.contains(track));
      shown[track.first] += events.size();
      for (const Event& event : events) REQUIRE_FALSE(event.end.is_null());
      for (std::size_t e = 1; e < events.size(); ++e) {
        REQUIRE(events[e - 1].end_us <= events[e].begin_us);
      }
    }
    std::size_t on_channels = 0;
    for (const TransferRun& run : schedule.transfers) {
      on_channels += std::max<std::size_t>(problem.topology().channels(run.from, run.to).size(), 1);
    }
    CHECK(shown[1] == problem.op_count());
    for (const auto& [track, events] : trace.tracks) {
      if (track.first != 1) continue;
      for (const Event& event : events) {
        const OpRun& run = schedule.ops.at(op_of.at(event.name));
        REQUIRE(event.begin_ps() == run.start_ps);
        REQUIRE(event.end_ps() == run.end_ps);
      }
    }
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

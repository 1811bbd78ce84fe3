#include "placer/io/profile.hpp"

#include <catch2/catch.hpp>

#include "placer/base/errors.hpp"
#include "placer/io/trace_file.hpp"
#include "placer/sim/simulator.hpp"
#include "support/mutants.hpp"
#include "support/problems.hpp"
#include "support/sanitizers.hpp"

namespace placer::testing {
namespace {

const std::string kCsv = "name,ms,device\nconv1,2.5,gpu\n\"a,\"\"b\",1e1,cpu\n\nconv1,0.5,gpu\n";
const std::string kTimes = R"({"conv1": 0.25, "fc": {"gpu": 0.5, "cpu": 2}})";
const std::string kTrace = R"({"displayTimeUnit": "ms", "traceEvents": [
  {"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "python"}},
  {"ph": "X", "name": "ProfilerStep#4", "ts": 0, "dur": 100},
  {"ph": "X", "name": "ProfilerStep#5", "ts": 100, "dur": 100},
  {"ph": "X", "name": "ProfilerStep#5", "ts": 100, "dur": 90, "tid": 7},
  {"ph": "X", "name": "conv1", "ts": 5, "dur": 30.5, "args": {"External id": 3}},
  {"ph": "X", "name": "conv1", "ts": 105, "dur": 29.5},
  {"ph": "X", "name": "fc_kernel_time", "ts": 105, "dur": 8},
  {"ph": "X", "name": "Relu", "ts": 105, "dur": 4, "args": {"name": "block/relu"}}]})";

double seconds(const Profile& profile, const std::string& name, std::size_t k = 0) {
  INFO(name);
  REQUIRE(profile.times.count(name) == 1);
  return profile.times.at(name).at(k).seconds;
}

TEST_CASE("A profile in CSV has times in the unit of its header, quoted names and devices") {
  const Profile profile = parse_profile(kCsv, "p.csv");
  CHECK(profile.times.size() == 2);
  CHECK(seconds(profile, "conv1") == Approx(0.0025));
  CHECK(seconds(profile, "conv1", 1) == Approx(0.0005));
  CHECK(seconds(profile, "a,\"b") == Approx(0.01));
  CHECK(profile.times.at("a,\"b")[0].device == "cpu");
}

TEST_CASE("A profile in JSON has a time for each op, or one for each device") {
  const Profile profile = parse_profile(kTimes, "p.json");
  CHECK(seconds(profile, "conv1") == 0.25);
  CHECK(profile.times.at("fc")[1].device == "cpu");
  CHECK(seconds(profile, "fc", 1) == 2);
}

TEST_CASE("Durations of a trace add up by op name and are divided by its steps") {
  const Profile profile = parse_profile(kTrace, "t.json");
  CHECK(profile.steps == 2);
  CHECK(profile.times.size() == 3);
  CHECK(seconds(profile, "conv1") == Approx(30e-6));
  CHECK(seconds(profile, "fc") == Approx(4e-6));
  CHECK(seconds(profile, "block/relu") == Approx(2e-6));
  const Profile bare = parse_profile(R"([{"ph": "X", "name": "a", "dur": 1}])", "t.json");
  CHECK(bare.steps == 1);
  CHECK(seconds(bare, "a") == Approx(1e-6));
}

TEST_CASE("Pairs of a begin and an end count as durations, the innermost ends first") {
  const Profile profile = parse_profile(R"([
    {"ph": "E", "name": "before", "ts": 1, "tid": 1},
    {"ph": "B", "name": "outer", "ts": 2, "tid": 1},
    {"ph": "B", "name": "other", "ts": 3, "tid": "worker"},
    {"ph": "B", "name": "inner", "ts": 4, "tid": 1},
    {"ph": "E", "ts": 6, "tid": 1},
    {"ph": "E", "ts": 7, "tid": "worker"},
    {"ph": "E", "ts": 12, "tid": 1}])",
                                        "t.json");
  CHECK(profile.times.size() == 3);
  CHECK(seconds(profile, "outer") == Approx(10e-6));
  CHECK(seconds(profile, "inner") == Approx(2e-6));
  CHECK(seconds(profile, "other") == Approx(4e-6));
}

TEST_CASE("A trace of our own gives every op its time to the picosecond, transfers left out") {
  Rng rng(3);
  for (int i = 0; i < 50; ++i) {
    const Problem problem = random_problem(rng);
    Schedule schedule;
    Simulator(problem, Order::kFifo).evaluate(random_placement(problem, rng), nullptr, &schedule);
    const Profile profile = parse_profile(chrome_trace(problem, schedule), "t.json");
    REQUIRE(profile.times.size() == problem.op_count());
    for (const OpRun& run : schedule.ops) {
      const double measured = seconds(profile, problem.graph().op(run.op).name);
      REQUIRE(to_picoseconds(measured) == run.end_ps - run.start_ps);
    }
  }
}

TEST_CASE("What is wrong in a profile is named in one line") {
  const std::vector<std::pair<std::string, std::string>> table = {
      {"", "p: expected a profile in CSV or JSON, found an empty file"},
      {"name,seconds\n", "p: expected at least one measured op, found none"},
      {"op,time\na,1\n",
       "p: line 1: expected a header with name and one of seconds, ms or us, found 'op,time'"},
      {"name,us\na\n", "p: line 2: expected 2 cells, as in the header, found 1"},
      {"name,us\na,-1\n", "p: line 2: expected a time from 0 to 1000000 s, found '-1'"},
      {"name,us\na,nan\n", "p: line 2: expected a time from 0 to 1000000 s, found 'nan'"},
      {"name,us\n,1\n", "p: line 2: expected the name of an op, found none"},
      {"name,us\n\"a,1\n", "p: line 2: expected a quote that ends on its line, found none"},
      {R"({"a": "fast"})", "p: a: expected a number from 0 to 1000000, found 'fast'"},
      {R"([{"ph": "X", "name": "a"}])", "p: [0]: expected the key 'dur', found only ph, name"},
      {R"({"traceEvents": [{"ph": "X", "name": "a", "dur": -1}]})",
       "p: traceEvents[0].dur: expected a number from 0 to 1000000000000, found -1"},
      {R"([{"ph": "B", "name": "a", "ts": 5}, {"ph": "E", "ts": 3}])",
       "p: [1]: expected an end from 0 to 1000000000000 us after its begin, found -2 us"},
      {"[]", "p: expected at least one measured op, found none"},
  };
  for (const auto& [text, message] : table) {
    INFO(text);
    try {
      parse_profile(text, "p");
      FAIL_CHECK("read");
    } catch (const Error& error) {
      CHECK(std::string(error.what()) == message);
    }
  }
}

TEST_CASE("Mutated profiles read or give one line, never anything else", "[fuzz]") {
  for (const std::string& good : {kCsv, kTimes, kTrace}) {
    const int count = kSanitized ? 150 : 1500;
    const int refused = refused_mutants(good, count, "f.x: ", [](const std::string& text) {
      const Profile profile = parse_profile(text, "f.x");
      if (profile.times.empty()) throw std::logic_error("nothing was read");
    });
    CHECK(refused > count / 8);
    CHECK(refused < count);
  }
}

}  // namespace
}  // namespace placer::testing

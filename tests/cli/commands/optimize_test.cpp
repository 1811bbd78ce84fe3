#include <catch2/catch.hpp>
#include <filesystem>
#include <set>

#include "cli/cli.hpp"
#include "cli/command_line.hpp"

namespace placer {
namespace {

TEST_CASE("Optimize finds 5 s for two branches that meet, and says everything about it") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph());
  const auto found = run_json(
      {"optimize", g, "--algo", "random", "--evaluations", "200", "--seed", "7", "--json"});
  CHECK("placer " + std::string(found["version"]) + "\n" == run({"--version"}).out);
  CHECK(found["graph"] == "join");
  CHECK(found["devices"] == "graph file");
  CHECK(found["algorithm"] == "random");
  CHECK(found["options"] == nlohmann::json::object());
  CHECK(found["seed"] == 7);
  CHECK(found["objective"] == "latency");
  CHECK(found["order"] == "fifo");
  CHECK(found["step_seconds"] == 5.0);
  CHECK(found["feasible"] == true);
  CHECK(found["overflow_bytes"] == 0);
  CHECK(found["single_device_seconds"] == 8.0);
  CHECK(found["lower_bound_seconds"] == 5.0);
  CHECK(found["gap"] == 0.0);
  CHECK(found["groups"] == 3);
  CHECK(found["evaluations"] == 200);
  CHECK(found["stopped"] == "evaluations");
  CHECK(found["wall_seconds"] > 0.0);
  CHECK(found["evaluations_per_second"] > 0.0);
  CHECK(found["seconds_to_best"] <= found["wall_seconds"]);
  CHECK(found["recent_mean_seconds"] > 5.0);
  CHECK(found["schedule_seconds"].is_null());
  CHECK(found["bytes_moved"] == 1);
  const auto& history = found["history"];
  REQUIRE(!history.empty());
  CHECK(history.back()["step_seconds"] == 5.0);
  CHECK(history.back()["evaluations"] <= 200);
  CHECK(history.back().contains("wall_seconds"));
}

TEST_CASE("Each device reports its busy time and its peak against its capacity") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph());
  const auto found =
      run_json({"optimize", g, "--algo", "random", "--evaluations", "200", "--json"});
  std::set<std::pair<double, int>>
      devices;  // a alone: its output beside 10; b, c: outputs of a and b
  for (const auto& device : found["per_device"]) {
    devices.emplace(device["busy_seconds"], device["peak_bytes"]);
    CHECK(device["capacity_bytes"] == 100);
  }
  CHECK(devices == std::set<std::pair<double, int>>{{3.0, 11}, {5.0, 22}});
  CHECK(found["per_device"][0]["name"] == "gpu:0");
}

TEST_CASE("The summary names step, single device, bound, devices and how the search went") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph());
  const std::string out = run({"optimize", g, "--algo", "post", "--evaluations", "120"}).out;
  for (const std::string part :
       {"step time         5.000 s", "one device alone  8.000 s (gpu:0)", "1.60 times as fast",
        "lower bound       5.000 s", "gap 0.0 %", "graph file (the graph file's own)",
        "post, seed 1", "fifo", "120 evaluations", "100.0 %", "60.0 %", "22 B"}) {
    CHECK_THAT(out, Catch::Contains(part));
  }
  CHECK(run({"optimize", g, "-q"}).out.empty());
}

TEST_CASE("A slower placement is told that one device alone is faster") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph());
  const std::string p = folder.file("p.json");
  REQUIRE(run({"optimize", g, "--algo", "single-device", "-o", p}).code == kDone);
  CHECK_THAT(run({"simulate", g, "--placement", p}).out,
             Catch::Contains("gpu:0 alone is just as fast"));
}

TEST_CASE("2400 evaluations are the budget when none is given") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph());
  CHECK(run_json({"optimize", g, "--algo", "random", "--json"})["evaluations"] == 2400);
}

TEST_CASE("The same request writes the same bytes on one thread and on two") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph());
  const std::string p = folder.file("p.json"), q = folder.file("q.json");
  for (const std::string algo : {"post", "genetic", "random"}) {
    const Line common = {"optimize", g, "--algo", algo, "--evaluations", "300", "-q"};
    const auto with = [&](Line more) {
      Line line = common;
      line.insert(line.end(), more.begin(), more.end());
      return run(line).code;
    };
    CHECK(with({"--threads", "1", "-o", p}) == kDone);
    CHECK(with({"--threads", "2", "-o", q, "--progress", "json"}) == kDone);
    CHECK(text_of(p) == text_of(q));
  }
}

TEST_CASE("A saved placement run again as a config writes the same bytes") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph());
  const std::string p = folder.file("p.json"), q = folder.file("q.json");
  REQUIRE(run({"optimize", g, "--algo", "post", "--elite-share", "0.2", "--evaluations", "300",
               "--seed", "5", "--order", "given", "--groups", "2", "--target", "0.5%", "-o", p})
              .code != kBadInput);
  const auto again = run({"optimize", g, "--config", p, "-o", q});
  CHECK(again.err.empty());
  CHECK(text_of(p) == text_of(q));
  const auto request = nlohmann::json::parse(text_of(p))["request"];
  CHECK(request["options"]["elite-share"] == 0.2);
  CHECK(request["evaluations"] == 300);
  CHECK(!request.contains("threads"));
  CHECK(!request.contains("devices"));  // the graph's own
}

TEST_CASE("A warm start is never left for something worse") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph());
  const std::string p = folder.file("p.json");
  REQUIRE(run({"optimize", g, "--algo", "random", "--evaluations", "200", "-o", p}).code == kDone);
  const auto found = run_json(
      {"optimize", g, "--algo", "single-device", "--start", p, "--evaluations", "3", "--json"});
  CHECK(found["step_seconds"] == 5.0);
  CHECK(found["history"].size() == 1);
}

/// a (1 s), then b (6 s) on gpu:0; c (3 s) on gpu:1 takes a's byte, which travels 1 s. By upward
/// rank b (6) goes before a (1 + 1 + 3): 11 s. a first: c ends at 5, b at 7.
std::string pinned_graph() {
  auto graph = nlohmann::json::parse(join_graph());
  const auto pin = [&](std::size_t op, const char* device, int seconds) {
    graph["ops"][op]["devices"] = {device};
    graph["ops"][op]["seconds"]["gpu"] = seconds;
  };
  pin(0, "gpu:0", 1);
  pin(1, "gpu:0", 6);
  pin(2, "gpu:1", 3);
  graph["edges"] = {{{"from", "a"}, {"to", "c"}, {"bytes", 1}}};
  return graph.dump();
}

TEST_CASE("A start's own sequences are never left for worse ones") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", pinned_graph());
  const std::string s = folder.write("s.json", R"({
    "format": "placer-placement", "version": 1,
    "placement": {"a": "gpu:0", "b": "gpu:0", "c": "gpu:1"},
    "sequences": {"gpu:0": ["a", "b"], "gpu:1": ["c"]}})");
  const std::string p = folder.file("p.json");
  const Line line = {"optimize",      g,   "--order", "given", "--algo", "random",
                     "--evaluations", "3", "--json"};
  CHECK(run_json(line)["step_seconds"] == 11.0);
  Line warm = line;
  warm.insert(warm.end(), {"--start", s, "-o", p});
  const auto found = run_json(warm);
  CHECK(found["step_seconds"] == 7.0);
  CHECK(found["evaluations"] == 3);
  REQUIRE(found["history"].size() == 1);
  CHECK(found["history"][0]["step_seconds"] == 7.0);
  const auto saved = nlohmann::json::parse(text_of(p));
  CHECK(saved["score"]["step_seconds"] == 7.0);
  CHECK(saved["sequences"] == nlohmann::json::parse(text_of(s))["sequences"]);
  CHECK(run_json({"simulate", g, "--placement", p, "--json"})["step_seconds"] == 7.0);
}

TEST_CASE("A target stops the search there, and exit 3 says that it was missed") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph());
  const Line common = {"optimize", g, "--algo", "random", "--evaluations", "500", "--json"};
  const auto with = [&](const std::string& target) {
    Line line = common;
    line.insert(line.end(), {"--target", target});
    return line;
  };
  CHECK(run_json(with("0%"), kDone)["stopped"] == "target");
  CHECK(run_json(with("5"), kDone)["evaluations"] < 500);
  CHECK(run_json(with("4.9"), kMissed)["stopped"] == "evaluations");
}

TEST_CASE("Where nothing fits, the least overflow is written, marked, and exit 2 says so") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph(5));
  const std::string p = folder.file("p.json");
  const auto found = run_json({"optimize", g, "--algo", "random", "--evaluations", "100",
                               "--target", "1", "-o", p, "--json"},
                              kNothingFits);
  // One device holds 32 bytes against 5; apart, a's holds 11 and b's 22 (or 11 and 21 with c at a).
  CHECK(found["feasible"] == false);
  CHECK(found["overflow_bytes"] == 23);
  CHECK(found["single_device_seconds"].is_null());
  CHECK(std::filesystem::exists(p));
  const std::string summary = run({"simulate", g, "--placement", p}).out;
  CHECK_THAT(summary, Catch::Contains("INFEASIBLE: 23 B over the memory"));
  CHECK_THAT(summary, Catch::Contains("does not fit"));
}

TEST_CASE("Sequences are saved under the order given, and simulate follows them") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph());
  const std::string p = folder.file("p.json");
  REQUIRE(run({"optimize", g, "--order", "given", "--algo", "random", "-o", p}).code == kDone);
  CHECK(nlohmann::json::parse(text_of(p)).contains("sequences"));
  const auto scored = run_json({"simulate", g, "--placement", p, "--json"});
  CHECK(scored["order"] == "given");
  CHECK(scored["step_seconds"] == 5.0);
  CHECK(scored["algorithm"] == "simulate");
  CHECK(scored["seed"].is_null());
  CHECK(scored["evaluations"] == 1);
  REQUIRE(run({"optimize", g, "-o", p}).code == kDone);
  CHECK_THAT(run({"simulate", g, "--placement", p, "--order", "given"}).err,
             Catch::EndsWith("sequences: expected an object for --order given, found nothing\n"));
}

TEST_CASE("A file name that is no UTF-8 is shown by its bytes, not refused") {
  const TempFolder folder;
  auto graph = nlohmann::json::parse(join_graph());
  graph.erase("name");
  const std::string g = folder.write("\xff.json", graph.dump());
  CHECK(run_json({"optimize", g, "--json"})["graph"] == "\\xff");
  CHECK(run_json({"inspect", g, "--json"})["graph"] == "\\xff");
}

TEST_CASE("A trace is written where it is asked for") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph());
  const std::string t = folder.file("t.json");
  REQUIRE(run({"optimize", g, "--trace", t}).code == kDone);
  CHECK(nlohmann::json::parse(text_of(t)).contains("traceEvents"));
}

TEST_CASE("An answer that was simulated before the search is reported as if simulated after it") {
  const TempFolder folder;
  const std::string found = folder.file("found.json"), trace = folder.file("trace.json");
  const std::string again = folder.file("again.json"), g = folder.file("g.json");
  REQUIRE(run({"generate", "resnet50", "--output", g}).code == kDone);
  for (const std::string algorithm : {"single-device", "random"}) {
    for (const std::string order : {"fifo", "given"}) {
      CAPTURE(algorithm, order);
      REQUIRE(
          run({"optimize", g, "--devices", "2xV100-16,1xK80,1xCPU", "--algo", algorithm, "--order",
               order, "--evaluations", "3", "--output", found, "--trace", trace, "-q"})
              .code == kDone);
      REQUIRE(run({"simulate", g, "--placement", found, "--devices", "2xV100-16,1xK80,1xCPU",
                   "--order", order, "--trace", again})
                  .code == kDone);
      CHECK(text_of(trace) == text_of(again));
    }
  }
}

TEST_CASE("Progress as JSON is one object on each line of standard error") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph());
  const Ran ran = run({"optimize", g, "--progress", "json", "-q"});
  const auto first = nlohmann::json::parse(ran.err.substr(0, ran.err.find('\n')));
  for (const char* field :
       {"evaluations", "share", "step_seconds", "wall_seconds", "evaluations_per_second"}) {
    CHECK(first[field] >= 0);
  }
  CHECK(run({"optimize", g}).err.empty());
}

}  // namespace
}  // namespace placer

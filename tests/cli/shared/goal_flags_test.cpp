#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <regex>

#include "cli/cli.hpp"
#include "cli/command_line.hpp"

namespace placer {
namespace {

using Line = std::vector<std::string>;
using nlohmann::json;

/// layer.0 -> layer.1 -> layer.2 -> layer.3, each of 1 s, over 1 byte, on two GPUs.
std::string layers() {
  json graph = {{"format", "placer-graph"}, {"version", 1}, {"edges", json::array()}};
  for (int i = 0; i < 4; ++i) {
    const std::string name = "layer." + std::to_string(i);
    graph["ops"].push_back({{"name", name}, {"type", "x"}, {"seconds", {{"gpu", 1}}}});
    if (i == 0) continue;
    graph["edges"].push_back(
        {{"from", "layer." + std::to_string(i - 1)}, {"to", name}, {"bytes", 1}});
  }
  graph["devices"]["devices"] = {{{"name", "gpu:0"}, {"type", "gpu"}, {"memory_bytes", 100}},
                                 {{"name", "gpu:1"}, {"type", "gpu"}, {"memory_bytes", 100}}};
  graph["devices"]["links"] = {{{"from", "*"}, {"to", "*"}, {"bytes_per_second", 10}}};
  return graph.dump();
}

struct Answer {
  int code = 0;
  json object;
  std::string err;
};

Answer optimize(Line flags) {
  const TempFolder folder;
  Line line = {"optimize", folder.write("g.json", layers()), "--json"};
  line.insert(line.end(), flags.begin(), flags.end());
  const Ran ran = run(line);
  return {ran.code, ran.out.empty() ? json() : json::parse(ran.out), ran.err};
}

TEST_CASE("Throughput is the bottleneck of the pipeline, beside the time of one step") {
  const Answer answer = optimize({"--objective", "throughput"});
  CHECK(answer.code == kDone);
  CHECK(answer.object["objective"] == "throughput");
  CHECK(answer.object["objective_seconds"] == 2);
  CHECK(answer.object["latency_seconds"] == 4.1);
  CHECK(answer.object["lower_bound_seconds"] == 2);
  CHECK(answer.object["proven"] == true);
}

TEST_CASE("A saved placement is simulated for the goal that it was found for") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", layers()), p = folder.file("p.json");
  REQUIRE(run({"optimize", g, "--objective", "throughput", "--stages", "gpu:1,gpu:0", "--pin",
               "layer.0=gpu:1", "--output", p})
              .code == kDone);
  const json found = json::parse(run({"simulate", g, "--placement", p, "--json"}).out);
  CHECK(found["objective"] == "throughput");
  CHECK(found["objective_seconds"] == 2);
  const json again =
      json::parse(run({"simulate", g, "--placement", p, "--objective", "latency", "--json"}).out);
  CHECK(again["objective_seconds"] == 4.1);
  CHECK(run({"optimize", g, "--config", p, "--output", folder.file("q.json")}).code == kDone);
  CHECK(text_of(folder.file("q.json")) == text_of(p));
}

TEST_CASE("Pinned ops stay, ops that stay together share a device") {
  const Answer pinned =
      optimize({"--objective", "throughput", "--pin", "layer.[02]=gpu:1,layer.3=gpu:0"});
  CHECK(pinned.code == kDone);
  CHECK(pinned.object["per_device"][1]["busy_seconds"] == 2);
  const Answer together = optimize({"--objective", "throughput", "--together", "layer.[012]"});
  CHECK(together.object["objective_seconds"] == 3);
}

TEST_CASE("Ops that stay together do so in a plan's stages, too") {
  const TempFolder folder;
  const std::string model =
      std::regex_replace(layers(), std::regex(R"(layer\.([0-9]))"), "m/layers.$1/x");
  const Line line = {
      "optimize", folder.write("g.json", model), "--json", "--objective", "throughput", "--for",
      "vllm"};
  CHECK(json::parse(run(line).out)["objective_seconds"] == 2);
  const Ran together = run(joined(line, {"--together", "m/layers.[12]/*"}));
  CHECK(json::parse(together.out)["objective_seconds"] == 3);
}

TEST_CASE("Pins that the order of stages rules out are told, with the ops") {
  const Answer answer =
      optimize({"--stages", "gpu:0,gpu:1", "--pin", "layer.0=gpu:1,layer.3=gpu:0"});
  CHECK(answer.code == kBadInput);
  CHECK(answer.err ==
        "placer: option --stages: expected a stage for op 'layer.3' no earlier than gpu:1, the "
        "first for op 'layer.2', whose output it reads; found none where it may be\n");
  CHECK(optimize({"--stages", "gpu:1,gpu:0", "--pin", "layer.0=gpu:1,layer.3=gpu:0"}).code ==
        kDone);
}

TEST_CASE("A step of micro-batches that no memory holds exits 2 with one line") {
  json graph = json::parse(layers());
  for (json& op : graph["ops"]) op["params_bytes"] = 1000;
  const TempFolder folder;
  const Ran ran = run({"optimize", folder.write("g.json", graph.dump()), "--objective",
                       "throughput", "--microbatches", "2"});
  CHECK(ran.code == kNothingFits);
  CHECK(ran.out.empty());
  CHECK(ran.err.ends_with("in the time and memory that there is\n"));
  CHECK(std::ranges::count(ran.err, '\n') == 1);
}

TEST_CASE("A placement that comes back to a device is not contiguous and exits 2") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", layers());
  const std::string p = folder.write("p.json", R"({"format": "placer-placement", "version": 1,
      "placement": {"layer.0": "gpu:0", "layer.1": "gpu:1", "layer.2": "gpu:0",
                    "layer.3": "gpu:0"}})");
  CHECK(run({"simulate", g, "--placement", p}).code == kDone);
  const Ran ran = run({"simulate", g, "--placement", p, "--contiguous"});
  CHECK(ran.code == kNothingFits);
  CHECK_THAT(ran.out, Catch::Contains("INFEASIBLE: not contiguous, 2 ops astray"));
}

TEST_CASE("Groups of the file that patterns touch move with them, and patterns that meet are one") {
  const TempFolder folder;
  json graph = json::parse(layers());
  graph["ops"][1]["group"] = graph["ops"][2]["group"] = "own";
  const std::string g = folder.write("g.json", graph.dump());
  const auto seconds = [&](const std::string& patterns) {
    return run_json({"optimize", g, "--objective", "throughput", "--together", patterns, "--json"})
        .at("objective_seconds");
  };
  CHECK(seconds("layer.0,layer.3") == 2);
  CHECK(seconds("layer.[01]") == 3);
  CHECK(seconds("layer.[01],layer.[23]") == 4);
}

TEST_CASE("An op is not pinned where it may not go") {
  const TempFolder folder;
  json graph = json::parse(layers());
  graph["ops"][1]["devices"] = {"gpu:1"};
  const std::string g = folder.write("g.json", graph.dump());
  const Ran ran = run({"optimize", g, "--pin", "layer.1=gpu:0"});
  CHECK(ran.code == kBadInput);
  CHECK_THAT(ran.err, Catch::Contains("op 'layer.1' may use, found 'gpu:0'"));
  CHECK(run({"optimize", g, "--pin", "layer.1=gpu:1", "-q"}).code == kDone);
  // Of a type, what the op may use is left.
  CHECK(run_json({"optimize", g, "--pin", "layer.*=gpu", "--objective", "throughput", "--json"})
            .at("objective_seconds") == 2);
}

TEST_CASE("All algorithms are compared under other goals, but for the one that cannot") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", layers());
  const json compared = run_json({"compare", g, "--objective", "throughput", "--evaluations", "20",
                                  "--seeds", "1", "--quiet", "--format", "json"});
  CHECK(compared["objective"] == "throughput");
  CHECK(compared.dump().find("branch-and-bound") == std::string::npos);
  CHECK(compared.dump().find("interval-dp") != std::string::npos);
}

TEST_CASE("Pins that no contiguous placement and no stages can keep get one line") {
  const Line pins = {"--pin", "layer.[03]=gpu:1,layer.1=gpu:0"};
  Answer answer = optimize({"--contiguous", pins[0], pins[1]});
  CHECK(answer.code == kBadInput);
  CHECK(answer.err ==
        "placer: option --contiguous: expected pins with which no path returns to a device that it "
        "has left, found one from op 'layer.0' (gpu:1) by op 'layer.1' (gpu:0) to op 'layer.3' "
        "(gpu:1)\n");
  answer = optimize({"--stages", "free", pins[0], pins[1]});
  CHECK(answer.code == kBadInput);
  CHECK_THAT(answer.err, Catch::Contains("option --stages: expected ops that can share a stage"));
}

TEST_CASE("Goals that make no sense get one line") {
  const auto message = [](Line flags) {
    const Answer answer = optimize(std::move(flags));
    CHECK(answer.code == kBadInput);
    return answer.err;
  };
  CHECK_THAT(message({"--pin", "layer.9=gpu:0"}),
             Catch::Contains("option --pin: expected a pattern of names of ops of"));
  CHECK_THAT(message({"--pin", "layer.1"}),
             Catch::Contains("expected PATTERN=DEVICE, found 'layer.1'"));
  CHECK_THAT(message({"--pin", "layer.*=gpu:0,layer.1=gpu:1"}),
             Catch::Contains("found op 'layer.1' for gpu:0 and gpu:1"));
  CHECK_THAT(message({"--pin", "layer.1=tpu:0"}),
             Catch::Contains("option --pin: expected the name or type of a device of ") &&
                 Catch::Contains(", found 'tpu:0'"));
  CHECK_THAT(message({"--together", "layer.*", "--pin", "layer.0=gpu:0,layer.1=gpu:1"}),
             Catch::Contains("layer.0"));
  CHECK_THAT(message({"--stages", "gpu:0"}), Catch::Contains("expected all 2 devices, found 1"));
  CHECK_THAT(message({"--stages", "gpu:0,gpu:0"}), Catch::Contains("'gpu:0' again"));
  CHECK_THAT(message({"--stages", "gpu:0,x"}), Catch::Contains("found 'x'"));
  CHECK_THAT(message({"--objective", "speed"}), Catch::Contains("call-latency"));
}

}  // namespace
}  // namespace placer

#include <catch2/catch.hpp>

#include "cli/cli.hpp"
#include "cli/command_line.hpp"

namespace placer {
namespace {

/// f0 -> f1 -> b1 -> b0 on two devices: forward 1 s, backward 2 s, 10 bytes from each forward op to
/// its backward op.
std::string graph(bool trains = true) {
  const std::string backward = trains ? "true" : "false";
  return R"({"format": "placer-graph", "version": 1, "ops": [
      {"name": "f0", "seconds": {"gpu": 1}}, {"name": "f1", "seconds": {"gpu": 1}},
      {"name": "b1", "seconds": {"gpu": 2}, "backward": )" +
         backward + R"(}, {"name": "b0", "seconds": {"gpu": 2}, "backward": )" + backward +
         R"(}],
    "tensors": [
      {"name": "x", "producer": "f0", "consumers": ["f1"], "bytes": 0},
      {"name": "held", "producer": "f0", "consumers": ["b0"], "bytes": 10},
      {"name": "y", "producer": "f1", "consumers": ["b1"], "bytes": 10},
      {"name": "gradient", "producer": "b1", "consumers": ["b0"], "bytes": 0}],
    "devices": {"devices": [{"name": "gpu:0", "type": "gpu", "memory_bytes": 25},
                            {"name": "gpu:1", "type": "gpu", "memory_bytes": 25}],
                "links": [{"from": "*", "to": "*", "bytes_per_second": 1}]}})";
}
const std::string kPlacement = R"({"format": "placer-placement", "version": 1, "placement":
    {"f0": "gpu:0", "f1": "gpu:1", "b1": "gpu:1", "b0": "gpu:0"}})";

Line line(const TempFolder& folder, bool trains = true) {
  return {"simulate", folder.write("g.json", graph(trains)), "--placement",
          folder.write("p.json", kPlacement)};
}

TEST_CASE("Micro-batches have an iteration time, a bubble and what each stage does and holds") {
  const TempFolder folder;
  const auto found = run_json(joined(line(folder), {"--microbatches", "4", "--json"}));
  CHECK(found["schedule"] == "1f1b");
  CHECK(found["microbatches"] == 4);
  CHECK(found["step_seconds"] == 15.0);
  CHECK(found["bubble_share"] == Approx(0.2));
  CHECK(found["single_device_seconds"] == 24.0);
  REQUIRE(found["stages"].size() == 2);
  CHECK(found["stages"][0] == nlohmann::json{{"device", "gpu:0"},
                                             {"forward_seconds", 1.0},
                                             {"backward_seconds", 2.0},
                                             {"update_seconds", 0.0},
                                             {"busy_seconds", 12.0},
                                             {"peak_bytes", 20}});
  CHECK(found["stages"][1]["peak_bytes"] == 10);
}

TEST_CASE("The summary of micro-batches shows the bubble and the stages") {
  const TempFolder folder;
  const std::string text = run(joined(line(folder), {"--microbatches", "4"})).out;
  CHECK_THAT(text, Catch::Contains("micro-batches") && Catch::Contains("4, 1f1b") &&
                       Catch::Contains("bubble 20.0 %"));
  CHECK_THAT(text, Catch::Contains("1      gpu:1   1.000 s   2.000 s     0 s  20.0 %"));
}

TEST_CASE("Under gpipe the stages do not hold four micro-batches that fit under 1f1b") {
  const TempFolder folder;
  const auto found = run_json(
      joined(line(folder), {"--microbatches", "4", "--schedule", "gpipe", "--json"}), kNothingFits);
  CHECK(found["overflow_bytes"] == 30);  // 40 on each, for 25
}

TEST_CASE("The trace shows each op of each micro-batch") {
  const TempFolder folder;
  const std::string trace = folder.file("t.json");
  REQUIRE(run(joined(line(folder), {"--microbatches", "4", "--trace", trace})).code == kDone);
  CHECK_THAT(text_of(trace), Catch::Contains("m3/b0") && Catch::Contains("m0/f1"));
}

TEST_CASE("A pipeline found for throughput is simulated with micro-batches, on vit in 4 stages") {
  const TempFolder folder;
  const std::string g = folder.file("vit.json"), p = folder.file("stages.json");
  REQUIRE(run({"generate", "vit", "--batch", "2", "--ops", "layer", "--output", g}).code == kDone);
  REQUIRE(run({"optimize", g, "--devices", "4xV100-16", "--objective", "throughput", "--stages",
               "free", "--algo", "dp", "--output", p})
              .code == kDone);
  const auto pace = [&](const std::string& count) {
    return run_json({"simulate", g, "--placement", p, "--microbatches", count, "--json"});
  };
  const auto eight = pace("8"), sixteen = pace("16");
  CHECK(eight["stages"].size() == 4);
  CHECK(eight["feasible"] == true);
  CHECK(sixteen["bubble_share"] < eight["bubble_share"]);
  CHECK(sixteen["stages"][3]["peak_bytes"] == eight["stages"][3]["peak_bytes"]);
}

TEST_CASE("Micro-batches that cannot run are refused in one line") {
  const TempFolder folder;
  const auto refusal = [&](const Line& arguments) {
    const Ran ran = run(arguments);
    CHECK(ran.code == kBadInput);
    return ran.err;
  };
  CHECK_THAT(refusal(joined(line(folder), {"--microbatches", "0"})),
             Catch::Contains("--microbatches: expected an integer from 1, found 0"));
  CHECK_THAT(refusal(joined(line(folder), {"--schedule", "gpipe"})),
             Catch::Contains("--schedule: expected --microbatches N with it, found none"));
  CHECK_THAT(
      refusal(joined(line(folder), {"--microbatches", "2", "--schedule", "zigzag"})),
      Catch::Contains("--schedule: expected gpipe or 1f1b or interleaved or zero-bubble, found "
                      "zigzag"));
  CHECK_THAT(refusal(joined(line(folder), {"--microbatches", "2", "--schedule", "zero-bubble"})),
             Catch::Contains("schedule: expected gradients of weights in ops of their own"));
  CHECK_THAT(refusal(joined(line(folder), {"--microbatches", "2", "--schedule", "interleaved"})),
             Catch::Contains("placement: expected devices that take turns for interleaved"));
  CHECK_THAT(refusal(joined(line(folder), {"--microbatches", "2", "--order", "fifo"})),
             Catch::Contains("--order: expected none with --microbatches"));
  CHECK_THAT(
      refusal(joined(line(folder), {"--microbatches", "2", "--objective", "throughput"})),
      Catch::Contains("--objective: expected latency with --microbatches, found throughput"));
  CHECK_THAT(refusal(joined(line(folder), {"--microbatches", "2", "-o", "-"})),
             Catch::Contains("--output: expected none with --microbatches"));
  CHECK_THAT(
      refusal(joined(line(folder, false), {"--microbatches", "2", "--schedule", "1f1b"})),
      Catch::Contains("schedule: expected gpipe for a graph without backward ops, found 1f1b"));
  CHECK_THAT(refusal(joined(line(folder, false), {"--microbatches", "2"})),
             Catch::Contains("placement: expected stages that follow each other, found 'b0' on "
                             "gpu:0, which reads from gpu:1"));
}

/// The graph of two stages, its placement and a third device for the second.
const std::string kReplicas = R"({"format": "placer-placement", "version": 1,
    "pipeline": {"microbatches": 4, "schedule": "1f1b", "replicas": {"gpu:1": ["gpu:2"]}},
    "placement": {"f0": "gpu:0", "f1": "gpu:1", "b1": "gpu:1", "b0": "gpu:0"}})";

std::string three_devices(const TempFolder& folder) {
  return folder.write("d.json", R"({"format": "placer-devices", "version": 1, "devices": [
      {"name": "gpu:0", "type": "gpu", "memory_bytes": 100},
      {"name": "gpu:1", "type": "gpu", "memory_bytes": 100},
      {"name": "gpu:2", "type": "gpu", "memory_bytes": 100}],
      "links": [{"from": "*", "to": "*", "bytes_per_second": 1}]})");
}

TEST_CASE("A placement file with micro-batches and replicas is simulated as it says") {
  const TempFolder folder;
  const Line line = {"simulate",    folder.write("g.json", graph()),
                     "--placement", folder.write("p.json", kReplicas),
                     "--devices",   three_devices(folder)};
  const auto found = run_json(joined(line, {"--json"}));
  // The first stage: 4 x 3 s and nothing to wait for but the first backward pass, 1 to 4.
  CHECK(found["microbatches"] == 4);
  CHECK(found["stages"][1]["replicas"] == nlohmann::json{"gpu:2"});
  CHECK(found["stages"][1]["reduce_seconds"] == 0.0);
  CHECK_FALSE(found["stages"][0].contains("replicas"));
  CHECK(found["step_seconds"] <
        run_json({"simulate", line[1], "--placement", folder.write("q.json", kPlacement),
                  "--devices", line[5], "--microbatches", "4", "--json"})["step_seconds"]);
  CHECK_THAT(run(line).out, Catch::Contains("gpu:1 + gpu:2"));
  CHECK(run_json(joined(line, {"--json", "--microbatches", "6"}))["microbatches"] == 6);
}

TEST_CASE("A pipeline that is searched for is simulated again from its file") {
  const TempFolder folder;
  const std::string g = folder.file("vit.json"), p = folder.file("p.json");
  REQUIRE(run({"generate", "vit", "--ops", "layer", "--output", g}).code == kDone);
  const Line search = {"optimize",       g,
                       "--devices",      "2xV100-16,2xT4",
                       "--objective",    "throughput",
                       "--microbatches", "8",
                       "--time-limit",   "60",
                       "--output",       p};
  const auto found = run_json(joined(search, {"--json"}));
  CHECK(found["feasible"] == true);
  CHECK(found["bottleneck_seconds"] <= found["step_seconds"]);
  CHECK(found["step_seconds"] < found["single_device_seconds"]);
  const auto again = run_json({"simulate", g, "--placement", p, "--json"});
  CHECK(again["step_seconds"] == found["step_seconds"]);
  CHECK(again["stages"] == found["stages"]);
}

TEST_CASE("A step of micro-batches that meets its bound is not proven, as replicas may share it") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", R"({"format": "placer-graph", "version": 1,
    "ops": [{"name": "a", "type": "x", "seconds": {"gpu": 1}}], "edges": []})");
  const Line common = {"optimize",       g,   "--objective", "throughput",
                       "--microbatches", "2", "--devices",   "2xV100-16"};
  const auto alone = run_json(joined(common, {"--replicas", "1", "--json"}));
  const auto shared = run_json(joined(common, {"--json"}));
  CHECK(alone["step_seconds"] == alone["lower_bound_seconds"]);
  CHECK(shared["step_seconds"] < alone["step_seconds"]);
  CHECK(alone["proven"] == false);
  CHECK_THAT(run(joined(common, {"--replicas", "1"})).out,
             Catch::Contains("gap 0.0 % with these micro-batches and replicas"));
}

TEST_CASE("What a search for pipelines does not know is refused in one line") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", graph());
  const auto refusal = [&](const Line& more) {
    const Ran ran = run(joined({"optimize", g}, more));
    CHECK(ran.code == kBadInput);
    return ran.err;
  };
  CHECK_THAT(
      refusal({"--microbatches", "4"}),
      Catch::Contains("--objective: expected throughput with --microbatches, found latency"));
  CHECK_THAT(refusal({"--replicas", "2"}),
             Catch::Contains("--replicas: expected --microbatches N with it, found none"));
  const Line pipeline = {"--objective", "throughput", "--microbatches", "4"};
  CHECK_THAT(refusal(joined(pipeline, {"--algo", "heft"})),
             Catch::Contains("--algo: expected dp or interval-dp with --microbatches, found heft"));
  CHECK_THAT(refusal(joined(pipeline, {"--evaluations", "5"})),
             Catch::Contains("--evaluations: expected none with --microbatches"));
  CHECK_THAT(refusal(joined(pipeline, {"--curve", folder.file("c.csv")})),
             Catch::Contains("--curve: expected none with --microbatches"));
  CHECK_THAT(refusal(joined(pipeline, {"--stages", "gpu:0,gpu:1"})),
             Catch::Contains("stages: expected them in any order for micro-batches"));
}

}  // namespace
}  // namespace placer

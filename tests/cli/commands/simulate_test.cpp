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
  CHECK_THAT(refusal(joined(line(folder), {"--microbatches", "2", "--schedule", "zero-bubble"})),
             Catch::Contains("--schedule: expected gpipe or 1f1b, found zero-bubble"));
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

}  // namespace
}  // namespace placer

#include "placer/io/placement_file.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "placer/base/errors.hpp"
#include "placer/sim/simulator.hpp"
#include "support/problems.hpp"

namespace placer {
namespace {

Problem three_in_a_row() { return Problem(testing::chain(3), testing::alike()); }

}  // namespace

TEST_CASE("A written placement says score, request, devices and sequences in a fixed form") {
  const Problem problem = three_in_a_row();
  const Sequences sequences = {{OpId(0), OpId(2)}, {OpId(1)}};
  const std::string written =
      write_placement(problem, testing::on_devices({0, 1, 0}), {7, 5'000'000'000'000}, sequences,
                      R"({"algo": "post", "seed": 1})");
  CHECK(written ==
        "{\n"
        "  \"format\": \"placer-placement\",\n"
        "  \"version\": 1,\n"
        "  \"score\": {\"step_seconds\": 5, \"overflow_bytes\": 7},\n"
        "  \"request\": {\"algo\": \"post\", \"seed\": 1},\n"
        "  \"placement\": {\n"
        "    \"op0\": \"gpu:0\",\n"
        "    \"op1\": \"gpu:1\",\n"
        "    \"op2\": \"gpu:0\"\n"
        "  },\n"
        "  \"sequences\": {\n"
        "    \"gpu:0\": [\"op0\", \"op2\"],\n"
        "    \"gpu:1\": [\"op1\"]\n"
        "  }\n"
        "}\n");
}

TEST_CASE("Placements of random problems read back, with the sequences that can run") {
  Rng rng(3);
  int with_sequences = 0;
  for (int i = 0; i < 200; ++i) {
    const Problem problem = testing::random_problem(rng);
    const Placement placement = testing::random_placement(problem, rng);
    const Sequences sequences = testing::random_sequences(problem, placement, rng);
    const bool runs = deadlock_of(problem, sequences).empty();
    const std::string written = write_placement(problem, placement, {0, 1}, sequences, "");
    if (!runs) {
      CHECK_THROWS_AS(parse_placement(written, "p.json", problem), Error);
      continue;
    }
    ++with_sequences;
    const PlacementFile file = parse_placement(written, "p.json", problem);
    CHECK(file.placement == placement);
    CHECK(file.sequences == sequences);
  }
  CHECK(with_sequences > 20);
  CHECK(with_sequences < 200);
}

TEST_CASE("A placement without sequences has none, and the order of its ops does not matter") {
  const PlacementFile file = parse_placement(
      R"({"format": "placer-placement", "version": 1,
          "placement": {"op2": "gpu:1", "op0": "gpu:0", "op1": "gpu:1"}})",
      "p.json", three_in_a_row());
  CHECK(file.placement == testing::on_devices({0, 1, 1}));
  CHECK_FALSE(file.sequences.has_value());
}

TEST_CASE("A pipeline's micro-batches and replicas are written in one line and read back") {
  const Problem problem(testing::chain(2), testing::alike({.devices = 4}));
  const MicroBatches batches = {.count = 6,
                                .schedule = PipelineSchedule::kZeroBubble,
                                .merged = 2,
                                .replicas = {{}, {DeviceId(3), DeviceId(2)}, {}, {}}};
  const std::string written =
      write_placement(problem, testing::on_devices({0, 1}), {0, 1}, std::nullopt, "", batches);
  CHECK(written.find("\"pipeline\": {\"microbatches\": 6, \"schedule\": \"zero-bubble\", "
                     "\"merged\": 2, \"replicas\": {\"gpu:1\": [\"gpu:3\", \"gpu:2\"]}}") !=
        std::string::npos);
  const PlacementFile file = parse_placement(written, "p.json", problem);
  REQUIRE(file.pipeline);
  CHECK(file.pipeline->count == 6);
  CHECK(file.pipeline->schedule == PipelineSchedule::kZeroBubble);
  CHECK(file.pipeline->merged == 2);
  CHECK(file.pipeline->replicas == batches.replicas);
}

TEST_CASE("A request may hold any object") {
  const PlacementFile file = parse_placement(
      R"({"format": "placer-placement", "version": 1,
          "placement": {"op0": "gpu:0", "op1": "gpu:0", "op2": "gpu:0"},
          "request": {"options": {"": [1, null, {"x": "\n"}]}}})",
      "p.json", three_in_a_row());
  CHECK(file.placement == testing::on_devices({0, 0, 0}));
}

}  // namespace placer

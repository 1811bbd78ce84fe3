#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "placer/io/files.hpp"
#include "placer/io/import.hpp"
#include "placer/model/problem.hpp"
#include "placer/sim/simulator.hpp"

namespace placer {
namespace {

using nlohmann::json;

/// Two stages of a layer each; forward 1 s, backward 2 s; 4 micro-batches; 105 bytes held by each
/// stage and 10 by each micro-batch; 1 GB/s.
json two_stages() {
  return json::parse(read_text(PLACER_SOURCE_DIR "/tests/bad/import/good/pipeline.json"));
}

Imported imported(const json& plan) { return import_text(plan.dump(), "plan.json"); }

Schedule run(const json& plan) {
  const Imported step = imported(plan);
  const Problem problem(step.graph, *step.devices);
  Schedule schedule;
  Simulator(problem, Order::kGiven)
      .evaluate(Placement{step.device_of}, &*step.sequences, &schedule);
  return schedule;
}

double seconds(const json& plan) { return to_seconds(run(plan).score.step_ps); }

TEST_CASE("A plan becomes a step of all micro-batches: 15 s, two of them held by the first stage",
          "[import]") {
  const Schedule schedule = run(two_stages());
  CHECK(to_seconds(schedule.score.step_ps) == 15);
  CHECK(schedule.peak_bytes == std::vector<std::int64_t>{125, 115});
  json all_forward = two_stages();
  all_forward["schedule"] = "gpipe";
  CHECK(run(all_forward).peak_bytes == std::vector<std::int64_t>{145, 145});
}

TEST_CASE("Micro-batches are those of a replica, the last one as long as a whole one", "[import]") {
  json plan = two_stages();
  plan["global_batch"] = 7;
  CHECK(imported(plan).notes == std::vector<std::string>{"4 micro-batches in 2 stages, 1f1b"});
  for (json& stage : plan["stages"]) stage["replicas"] = {"1xfast", "1xfast"};
  CHECK(imported(plan).notes == std::vector<std::string>{"2 micro-batches in 2 stages, 1f1b"});
}

TEST_CASE(
    "A message takes as long as its size and the network say, and one byte at the speed of 1 MB",
    "[import]") {
  json plan = two_stages();
  plan["global_batch"] = 2;  // one micro-batch: 6 s without messages
  json& bytes = plan["units"][0]["layers"][0]["output_bytes"];
  bytes = 2'000'000'000;
  CHECK(seconds(plan) == 6 + 2 * 2.0);
  plan["staging_bytes_per_second"] = 4e9;
  CHECK(seconds(plan) == 6 + 2 * 2.5);
  plan.erase("staging_bytes_per_second");
  bytes = 4'000'000;  // log2(4) = 2: 0.25 * 4 + 0.5 * 2 + 0 = 2 GB/s
  plan["network"][0]["curve"] = {0.25, 0.5, 0.0};
  plan["network"][0]["most_bytes_per_second"] = 9e9;
  CHECK(seconds(plan) == Approx(6 + 2 * 0.002).epsilon(1e-9));
  plan["network"][0]["most_bytes_per_second"] = 1e9;
  CHECK(seconds(plan) == Approx(6 + 2 * 0.004).epsilon(1e-9));
  plan["network"][0]["curve"] = {5, 5, 0.001};  // 1 MB/s at 1 MB
  bytes = 1;
  CHECK(seconds(plan) == Approx(6 + 2e-6).epsilon(1e-9));
}

TEST_CASE("Sends that block keep both stages busy", "[import]") {
  json plan = two_stages();
  plan["units"][0]["layers"][0]["output_bytes"] = 1'000'000'000;
  const auto busy = [&](bool blocks) {
    plan["blocking_sends"] = blocks;
    return to_seconds(run(plan).busy_ps[1]);
  };
  CHECK(busy(false) == 12);  // 4 x (1 + 2)
  CHECK(busy(true) == 20);   // and 4 x (1 + 1)
  plan["global_batch"] = 2;
  CHECK(seconds(plan) == 6 + 2);
}

TEST_CASE("Replicas run at the pace of the slowest, and sum their gradients in a ring at the end",
          "[import]") {
  json plan = two_stages();
  json slow = plan["units"][0];
  slow["name"] = "2xslow";
  slow["gpus"] = 2;
  for (json& layer : slow["layers"]) layer["backward_seconds"] = 3;
  slow["update_seconds"] = 0.5;
  plan["units"].push_back(slow);
  plan["stages"] = {{{"layers", 2}, {"replicas", {"1xfast", "2xslow"}}}};
  const json both = {{"curve", {0, 0, 1}}, {"most_bytes_per_second", 1e9}};
  for (const auto& [from, to] : {std::pair("1xfast", "2xslow"), {"2xslow", "1xfast"}}) {
    json speed = both;
    speed["from"] = from;
    speed["to"] = to;
    plan["network"].push_back(speed);
  }
  // 2 micro-batches of 2 x (1 + 3) s, and an update.
  CHECK(seconds(plan) == 16.5);
  // 2 layers x 1 GB x 2 GPUs: 2 messages of a half.
  for (json& layer : plan["units"][1]["layers"]) layer["gradient_bytes"] = 1'000'000'000;
  CHECK(seconds(plan) == 16.5 + 4);
}

}  // namespace
}  // namespace placer

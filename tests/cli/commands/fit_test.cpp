#include <catch2/catch.hpp>

#include "cli/cli.hpp"
#include "cli/command_line.hpp"

namespace placer {
namespace {

TEST_CASE("A graph that fits has its peaks and margins told, and the device that binds") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph(100));
  const auto found = run_json({"fit", g, "--json"});
  CHECK(found["fits"] == true);
  CHECK(found["overflow_bytes"] == 0);
  CHECK(found["infeasible"].is_null());
  CHECK(found["step_seconds"] == 5.0);
  // a alone: its 10 bytes and its output of 1. b and c: 20, the output of b and the copy of a's.
  CHECK(found["binds"] == found["per_device"][0]["name"]);
  std::vector<int> peaks, params, margins;
  for (const auto& device : found["per_device"]) {
    peaks.push_back(device["peak_bytes"]);
    params.push_back(device["params_bytes"]);
    margins.push_back(device["margin_bytes"]);
  }
  std::ranges::sort(peaks);
  std::ranges::sort(params);
  CHECK(peaks == std::vector{11, 22});
  CHECK(params == std::vector{10, 20});
  CHECK(margins[0] + margins[1] == 167);
  const Ran text = run({"fit", g});
  CHECK(text.code == kDone);
  CHECK_THAT(text.out, Catch::StartsWith("fits        yes, with a step of 5.000 s at most\n"));
  CHECK_THAT(text.out,
             Catch::Contains("22 B of 100 B at the peak, 20 B of it parameters, 78 B left"));
}

TEST_CASE("A graph that cannot fit ends with 2 and the reason") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph(14));
  const Ran text = run({"fit", g});
  CHECK(text.code == kNothingFits);
  CHECK_THAT(text.out, Catch::StartsWith("fits        no: no placement can fit\n"));
  CHECK_THAT(text.out, Catch::Contains("\ninfeasible  ") && Catch::Contains("too much"));
  const auto found = run_json({"fit", g, "--json"}, kNothingFits);
  CHECK(found["fits"] == false);
  CHECK(found["overflow_bytes"] > 0);
  CHECK(found["infeasible"].is_string());
}

TEST_CASE("What is reserved of an accelerator is missing to the model") {
  const TempFolder folder;
  const std::string g = folder.file("g.json");
  REQUIRE(run({"generate", "vgg16", "--inference", "--batch", "1", "-o", g}).code == kDone);
  CHECK(run({"fit", g, "--devices", "1xRTX3060:1GiB"}).code == kDone);
  CHECK(run({"fit", g, "--devices", "1xRTX3060:1GiB", "--reserve", "600MiB"}).code == kNothingFits);
}

TEST_CASE("Fit says after Ctrl-C what it knows: yes, no, or nothing yet") {
  const TempFolder folder;
  nlohmann::json graph = {{"format", "placer-graph"}, {"version", 1}, {"name", "four"}};
  for (const auto& [name, bytes] : {std::pair("a", 7), {"b", 5}, {"c", 4}, {"d", 4}}) {
    graph["ops"].push_back({{"name", name}, {"seconds", {{"fast", 1}}}, {"params_bytes", bytes}});
  }
  graph["edges"] = nlohmann::json::array();
  const auto fit_with = [&](std::int64_t bytes) {
    graph["devices"] = {{"format", "placer-devices"}, {"version", 1}};
    graph["devices"]["links"] = nlohmann::json::array();
    for (const char* name : {"gpu:0", "gpu:1"}) {
      graph["devices"]["devices"].push_back(
          {{"name", name}, {"type", "fast"}, {"memory_bytes", bytes}});
    }
    return run_interrupted({"fit", folder.write("g.json", graph.dump())});
  };
  CHECK(fit_with(20).code == kDone);
  CHECK(fit_with(5).code == kNothingFits);
  const Ran unknown = fit_with(10);  // 20 bytes in all, but no ops of 10
  CHECK(unknown.code == kInterrupted);
  CHECK(unknown.out.find("not found before the interrupt") != std::string::npos);
}

}  // namespace
}  // namespace placer

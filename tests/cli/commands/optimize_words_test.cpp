#include <catch2/catch.hpp>

#include "cli/cli.hpp"
#include "cli/command_line.hpp"

namespace placer {
namespace {

TEST_CASE("Simulate says what the file claims where that is something else") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph());
  const auto summary_of = [&](const std::string& seconds) {
    const std::string p = folder.write("p.json", R"({"format": "placer-placement", "version": 1,
        "score": {"step_seconds": )" + seconds + R"(, "overflow_bytes": 0},
        "placement": {"a": "gpu:0", "b": "gpu:1", "c": "gpu:1"}})");
    return run({"simulate", g, "--placement", p}).out;
  };
  CHECK_THAT(summary_of("7"), Catch::Contains("the file says") && Catch::Contains("7.000 s"));
  CHECK_THAT(summary_of("5"), !Catch::Contains("the file says"));
}

TEST_CASE("A placement that does not fit is told which device fits alone, and what may help") {
  const TempFolder folder;
  auto graph = nlohmann::json::parse(join_graph(5));
  graph["devices"]["devices"][1]["memory_bytes"] = 100;
  const std::string g = folder.write("g.json", graph.dump());
  const std::string p = folder.write("p.json", R"({"format": "placer-placement", "version": 1,
      "placement": {"a": "gpu:0", "b": "gpu:1", "c": "gpu:1"}})");
  const Ran ran = run({"simulate", g, "--placement", p});
  CHECK(ran.code == kNothingFits);
  CHECK_THAT(ran.out, Catch::Contains("gpu:1 alone fits: 8.000 s") && Catch::Contains("may help") &&
                          !Catch::Contains("faster"));
}

TEST_CASE("Where nothing found fits, groups are to be taken apart only if some were merged") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph(25));
  const auto hint_of = [&](const std::string& groups) {
    const Ran ran =
        run({"optimize", g, "--algo", "single-device", "--no-refinement", "--groups", groups});
    CHECK(ran.code == kNothingFits);
    return ran.out;
  };
  CHECK_THAT(hint_of("2"), Catch::Contains("more evaluations, --groups none, more or larger"));
  CHECK_THAT(hint_of("3"), Catch::Contains("more evaluations, more or larger devices"));
}

/// Two ops of 1 s on a GPU and 10 s on a CPU, with 10 bytes of parameters each.
std::string two_ops(int gpu_bytes) {
  const nlohmann::json seconds = {{"gpu", 1}, {"cpu", 10}};
  nlohmann::json graph = {
      {"format", "placer-graph"}, {"version", 1}, {"edges", nlohmann::json::array()}};
  for (const char* name : {"a", "b"}) {
    graph["ops"].push_back(
        {{"name", name}, {"type", "x"}, {"seconds", seconds}, {"params_bytes", 10}});
  }
  graph["devices"] = {
      {"format", "placer-devices"}, {"version", 1}, {"links", nlohmann::json::array()}};
  const auto add = [&](const char* name, const char* type, int bytes) {
    graph["devices"]["devices"].push_back(
        {{"name", name}, {"type", type}, {"memory_bytes", bytes}});
  };
  add("cpu:0", "cpu", 100);
  add("gpu:0", "gpu", gpu_bytes);
  add("gpu:1", "gpu", gpu_bytes);
  return graph.dump();
}

TEST_CASE("A speedup over a slow device says that no faster one holds everything") {
  const TempFolder folder;
  const std::string small = folder.write("small.json", two_ops(12));
  CHECK_THAT(run({"optimize", small, "--algo", "heft"}).out,
             Catch::Contains("20.00 s (cpu:0)") &&
                 Catch::Contains(
                     "the placement is 20.00 times as fast; no faster device holds it alone\n"));
  const std::string large = folder.write("large.json", two_ops(20));
  CHECK_THAT(run({"optimize", large, "--algo", "heft"}).out,
             Catch::Contains("2.000 s (gpu:0)") &&
                 Catch::Contains("the placement is 2.00 times as fast\n"));
}

TEST_CASE("A placement file's step time that is another now is told with what is known of why") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph());
  const std::string p = folder.file("p.json");
  REQUIRE(run({"optimize", g, "--order", "priority", "-o", p}).code == kDone);
  auto file = nlohmann::json::parse(text_of(p));
  for (auto& [op, device] : file["placement"].items()) device = "gpu:0";
  const std::string edited = folder.write("edited.json", file.dump());
  CHECK_THAT(run({"simulate", g, "--placement", edited}).out,
             Catch::Contains("the file says     5.000 s ") &&
                 Catch::Contains("  devices, order, graph or placement have changed since\n"));
  CHECK_THAT(run({"simulate", g, "--placement", edited, "--order", "fifo"}).out,
             Catch::Contains("under order priority\n"));
  CHECK(run({"simulate", g, "--placement", p}).out.find("the file says") == std::string::npos);
}

TEST_CASE("A search stops as converged where refining its merged groups gains no more") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph());
  const auto found = run_json(
      {"optimize", g, "--algo", "post", "--groups", "2", "--evaluations", "2400", "--json"});
  CHECK(found["groups"] == 2);
  CHECK(found["stopped"] == "converged");
  CHECK(found["evaluations"] > 1200);  // its half of the budget, then refinement
  CHECK(found["evaluations"] < 2400);
}

TEST_CASE("Results say how many samples and tokens a second where the graph says how many a step") {
  const TempFolder folder;
  auto graph = nlohmann::json::parse(join_graph());
  const std::string g = folder.write("g.json", graph.dump());
  graph["samples"] = 10;
  graph["tokens"] = 1000;
  const std::string counted = folder.write("counted.json", graph.dump());
  const auto unknown = run_json({"optimize", g, "--json"});
  CHECK(unknown["samples_per_second"].is_null());
  CHECK(unknown["tokens_per_second"].is_null());
  CHECK(unknown["steps_per_second"] == 0.2);
  CHECK(unknown["no_yield"] == "the graph file says neither samples nor tokens of a step");
  CHECK(run({"optimize", g}).out.find("a second") == std::string::npos);
  const auto found = run_json({"optimize", counted, "--json"});  // in a step of 5 s
  CHECK(found["samples_per_second"] == 2.0);
  CHECK(found["tokens_per_second"] == 200.0);
  CHECK(found["no_yield"].is_null());
  CHECK_THAT(run({"optimize", counted}).out,
             Catch::Contains("\nsamples           2 a second") && Catch::Contains("10 a step\n") &&
                 Catch::Contains("\ntokens            200 a second") &&
                 Catch::Contains("1000 a step\n"));
}

}  // namespace
}  // namespace placer

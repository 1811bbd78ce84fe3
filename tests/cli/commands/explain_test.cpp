#include <catch2/catch.hpp>

#include "cli/cli.hpp"
#include "cli/command_line.hpp"

namespace placer {
namespace {

using Json = nlohmann::json;

/// a 0-3 on gpu:1, its byte travels 3-4; b 0-4 and c 4-5 on gpu:0.
std::string placement(const TempFolder& folder) {
  return folder.write("p.json",
                      R"({"format": "placer-placement", "version": 1,
                          "placement": {"a": "gpu:1", "b": "gpu:0", "c": "gpu:0"}})");
}

double sum_of(const Json& rows, const char* member) {
  double sum = 0;
  for (const Json& row : rows) sum += row[member].get<double>();
  return sum;
}

const Json& named(const Json& rows, const std::string& name) {
  for (const Json& row : rows) {
    if (row["name"] == name) return row;
  }
  FAIL("no row is named " << name);
  return rows;
}

TEST_CASE("Explain tells the path, the waits, the cuts and what would help") {
  const TempFolder folder;
  const std::string graph = folder.write("g.json", join_graph());
  const Json told = run_json({"explain", graph, "--placement", placement(folder), "--json"});
  CHECK(told["step_seconds"] == 5.0);
  CHECK(sum_of(told["critical_path"], "seconds") == 5.0);
  const Json& times = told["device_times"];
  CHECK(named(times, "gpu:0")["busy_seconds"] == 5.0);
  CHECK(named(times, "gpu:1")["busy_seconds"] == 3.0);
  CHECK(named(times, "gpu:1")["done_seconds"] == 2.0);
  REQUIRE(told["dearest_cuts"].size() == 1);
  CHECK(told["dearest_cuts"][0]["producer"] == "a");
  CHECK(told["dearest_cuts"][0]["seconds"] == 1.0);
  CHECK(told["dearest_cuts"][0]["to"] == "gpu:0");
  // b's byte, a's copy and 20 bytes of b's parameters.
  CHECK(named(told["memory"], "gpu:0")["peak_bytes"] == 22);
  CHECK(named(told["memory"], "gpu:0")["parameters_bytes"] == 20);
  CHECK(named(told["memory"], "gpu:0")["binds"] == false);
  CHECK(named(told["what_if"], "every link twice as fast")["step_seconds"] == 5.0);
  CHECK(named(told["what_if"], "every gpu twice as fast")["step_seconds"] == 3.0);
}

TEST_CASE("Explain says which memory binds and whether one GiB more is enough") {
  const TempFolder folder;
  const std::string graph = folder.write("g.json", join_graph(21));  // gpu:0 needs 22
  const Json told =
      run_json({"explain", graph, "--placement", placement(folder), "--json"}, kNothingFits);
  const Json& limit = named(told["memory"], "gpu:0");
  CHECK(limit["binds"] == true);
  CHECK(limit["missing_bytes"] == 1);
  CHECK(limit["one_gib_unbinds"] == true);
  CHECK(named(told["memory"], "gpu:1")["binds"] == false);
}

TEST_CASE("Explain tells that an op waits for its turn where another device held it up") {
  const TempFolder folder;
  // b would be ready at once, but on gpu:1 it comes after a, which waits for x on gpu:0.
  const std::string graph = folder.write("g.json", R"({"format": "placer-graph", "version": 1,
      "ops": [{"name": "x", "seconds": {"gpu": 3}}, {"name": "a", "seconds": {"gpu": 0}},
              {"name": "b", "seconds": {"gpu": 5}}],
      "tensors": [{"producer": "x", "consumers": ["a"], "bytes": 0}],
      "devices": {"devices": [{"name": "gpu:0", "type": "gpu", "memory_bytes": 10},
                              {"name": "gpu:1", "type": "gpu", "memory_bytes": 10}],
                  "links": [{"from": "*", "to": "*", "bytes_per_second": 1}]}})");
  const std::string placed = folder.write("p.json",
                                          R"({"format": "placer-placement", "version": 1,
      "placement": {"x": "gpu:0", "a": "gpu:1", "b": "gpu:1"}})");
  const std::string told = run({"explain", graph, "--placement", placed, "--order", "program"}).out;
  CHECK_THAT(told, Catch::Contains("its turn") && !Catch::Contains("device busy"));
  const Json json = Json::parse(
      run({"explain", graph, "--placement", placed, "--order", "program", "--json"}).out);
  CHECK(json["critical_path"].back()["waited_for"] == "turn");
}

TEST_CASE("Explain says the same in text and in Markdown") {
  const TempFolder folder;
  const std::string graph = folder.write("g.json", join_graph());
  const std::string file = placement(folder);
  const std::string sentence = "The step takes 5.000 s, and its critical path spends";
  const Ran text = run({"explain", graph, "--placement", file});
  CHECK(text.code == kDone);
  CHECK_THAT(text.out, Catch::Contains(sentence) && Catch::Contains("\nDearest cuts\n") &&
                           Catch::Contains("No memory limit binds."));
  const Ran markdown = run({"explain", graph, "--placement", file, "--markdown"});
  CHECK_THAT(markdown.out, Catch::Contains(sentence) && Catch::Contains("\n## Dearest cuts\n\n|"));
}

TEST_CASE("Explain takes a framework's plan as simulate does") {
  const TempFolder folder;
  const std::string graph = folder.file("llama.json");
  REQUIRE(run({"generate", "llm_decode", "--layers", "4", "--output", graph}).code == kDone);
  const std::string plan = folder.write("plan", "VLLM_PP_LAYER_PARTITION=3,1\n");
  const Line which = {graph, "--devices", "2xV100-16", "--plan", plan, "--from", "vllm", "--json"};
  CHECK(run_json(joined({"explain"}, which))["step_seconds"] ==
        run_json(joined({"simulate"}, which))["step_seconds"]);
}

TEST_CASE("Explain refuses flags that do not go together") {
  const TempFolder folder;
  const std::string graph = folder.write("g.json", join_graph());
  const Ran both =
      run({"explain", graph, "--placement", placement(folder), "--json", "--markdown"});
  CHECK(both.code == kBadInput);
  CHECK_THAT(both.err, Catch::Contains("expected --json or --markdown, found both"));
  const Ran none = run({"explain", graph});
  CHECK(none.code == kBadInput);
  CHECK_THAT(none.err, Catch::Contains("explain: expected --placement FILE or --plan FILE"));
}

TEST_CASE("Explain tells what it had found before Ctrl-C") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph()), p = folder.file("p.json");
  REQUIRE(run({"optimize", g, "-o", p}).code == kDone);
  const Ran ran = run_interrupted({"explain", g, "--placement", p, "--search", "50", "--json"});
  CHECK(ran.code == kInterrupted);
  const auto said = nlohmann::json::parse(ran.out);
  CHECK(said["interrupted"] == true);
  CHECK(said["what_if_searched"].empty());
  CHECK(said["conclusions"].size() == 2);  // the critical path, and
  CHECK(said["conclusions"][1] ==
        "Interrupted, or out of time, before all machines and moves were tried.");
}

TEST_CASE("Of more than 64 devices tables show those in use, and ranges over all") {
  const TempFolder folder;
  Json spec = {{"format", "placer-devices"}, {"version", 1}, {"contention", "none"}};
  for (int at = 0; at < 70; ++at) {
    spec["devices"].push_back(
        {{"name", "d" + std::to_string(at)}, {"type", "gpu"}, {"memory_bytes", 100}});
  }
  spec["links"] = {{{"from", "*"}, {"to", "*"}, {"bytes_per_second", 1}, {"latency_seconds", 0}}};
  Json graph = {{"format", "placer-graph"}, {"version", 1}};
  for (const char* name : {"a", "b"}) {
    graph["ops"].push_back({{"name", name}, {"seconds", {{"gpu", 1}}}, {"params_bytes", 7}});
  }
  const std::string devices = folder.write("d.json", spec.dump());
  const std::string g = folder.write("g.json", graph.dump());
  const std::string placed = folder.write("p.json", R"({"format": "placer-placement", "version": 1,
      "placement": {"a": "d68", "b": "d69"}})");
  const Ran explained = run({"explain", g, "--devices", devices, "--placement", placed});
  CHECK_THAT(explained.out, Catch::Contains("\nd68 ") && !Catch::Contains("\nd0 "));
  CHECK_THAT(explained.out, Catch::Contains("2 of 2 devices that are in use, of 70 in all"));
  const Ran simulated = run({"simulate", g, "--devices", devices, "--placement", placed});
  CHECK_THAT(simulated.out, Catch::Contains("d0 and 69 others, 2 in use"));
  const Ran fitted = run({"fit", g, "--devices", devices});
  CHECK_THAT(fitted.out, Catch::Contains(" 0 B to 7 B ") && Catch::Contains(" 83 B to 90 B"));
}

}  // namespace
}  // namespace placer

#include <catch2/catch.hpp>

#include "cli/cli.hpp"
#include "cli/support.hpp"

namespace placer {
namespace {

// op0 on a takes 3 ticks, its 64 bytes 5 + 1, op1 on b 1: 10 us.
const std::string kPlanted = R"({"format": "planted-1", "makespan_opt": 10,
  "devices": [{"name": "a", "mem_bytes": 900}, {"name": "b", "mem_bytes": 800}],
  "link": {"latency": 5, "bw_bytes_per_tick": 64, "topology": "full, uniform"},
  "cost": [[3, 5], [4, 1]], "mem_bytes": [10, 20], "edges": [[0, 1, 60]],
  "planted": {"device": [0, 1], "start": [0, 9]}})";

TEST_CASE("An imported instance simulates on its own devices as its own placement says") {
  const TempFolder folder;
  const std::string file = folder.write("two.json", kPlanted);
  const std::string graph = folder.file("g.json"), placement = folder.file("p.json");
  const auto said = run_json({"import", file, "-o", graph, "--placement-out", placement, "--json"});
  CHECK(said["format"] == "planted");
  CHECK(said["ops"] == 2);
  CHECK(said["devices"].size() == 2);
  CHECK(said["claimed_step_seconds"] == 10e-6);
  CHECK(said["placement_step_seconds"] == 10e-6);
  const auto simulated = run_json({"simulate", graph, "--placement", placement, "--json"});
  CHECK(simulated["order"] == "given");
  CHECK(simulated["step_seconds"] == 10e-6);
}

TEST_CASE("Without an output file, import prints the graph, which imports as itself") {
  const TempFolder folder;
  const Ran ran =
      run({"import", folder.write("two.stg", "1\n0 0 0\n1 4 1 0\n2 0 1 1\n"), "--processors", "2"});
  CHECK(ran.code == kDone);
  CHECK(run({"import", folder.write("two.json", ran.out)}).out == ran.out);
  CHECK(run_json({"inspect", folder.file("two.json"), "--json"})["ops"] == 3);
}

}  // namespace
}  // namespace placer

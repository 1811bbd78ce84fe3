#include "cli/commands/machine_changes.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>

#include "cli/command_line.hpp"
#include "cli/shared/command.hpp"

namespace placer {
namespace {

/// A host, two gpus that name each other and the host, and a faster one.
Topology machine() {
  return {{{.name = "cpu", .type = "cpu", .memory_bytes = 9, .host = true},
           {.name = "g0", .type = "gpu", .memory_bytes = 4},
           {.name = "g1", .type = "gpu", .memory_bytes = 4},
           {.name = "fast", .type = "gpu", .memory_bytes = 8}},
          {{"*", "*", 10, 2, {}}, {"g0", "g1", 100, 0, {}}, {"g1", "g0", 100, 0, {}}}};
}

const MachineChange& named(const std::vector<MachineChange>& changes, const std::string& name) {
  const auto at = std::ranges::find(changes, name, &MachineChange::name);
  REQUIRE(at != changes.end());
  return *at;
}

TEST_CASE("Machines differ in links, memory, a device more, less or of another kind; hosts stay") {
  std::vector<std::string> names;
  for (const MachineChange& change : machine_changes(machine(), 1024)) names.push_back(change.name);
  CHECK(names == std::vector<std::string>{
                     "every link twice as fast", "1.000 KiB more memory on every device",
                     "one g1 more", "without g1", "g0, g1 of the kind of fast", "one fast more",
                     "without fast", "fast of the kind of g0"});
}

TEST_CASE("Links twice as fast have twice the bytes per second and half the latency") {
  const auto changes = machine_changes(machine(), 1);
  const Topology& faster = named(changes, "every link twice as fast").topology;
  CHECK(faster.links()[0].bytes_per_second == 20);
  CHECK(faster.links()[0].latency_seconds == 1);
}

TEST_CASE("A device more is linked to all as the last of its kind is, and to that as to siblings") {
  const auto changes = machine_changes(machine(), 1);
  const Topology& more = named(changes, "one g1 more").topology;
  REQUIRE(more.devices().size() == 5);
  const DeviceId added(4), g0(1), g1(2), cpu(0);
  CHECK(more.device(added).name == "g1 (2)");
  const auto speed = [&](DeviceId from, DeviceId to) {
    return more.speeds()[more.speed_class(from, to)].bytes_per_second;
  };
  CHECK(speed(added, g0) == 100);
  CHECK(speed(g0, added) == 100);
  CHECK(speed(added, g1) == 100);
  CHECK(speed(g1, added) == 100);
  CHECK(speed(added, cpu) == 10);
}

TEST_CASE("A second device of a kind is linked to the first as that is to others") {
  const Topology topology({{.name = "cpu", .type = "cpu", .memory_bytes = 9, .host = true},
                           {.name = "gpu", .type = "gpu", .memory_bytes = 4}},
                          {{"cpu", "gpu", 10, 2, {}}, {"gpu", "cpu", 20, 2, {}}});
  const auto changes = machine_changes(topology, 1);
  const Topology& more = named(changes, "one gpu more").topology;
  const auto speed = [&](std::size_t from, std::size_t to) {
    return more.speeds()[more.speed_class(DeviceId(from), DeviceId(to))].bytes_per_second;
  };
  CHECK(speed(0, 2) == 10);
  CHECK(speed(2, 0) == 20);
  CHECK(speed(1, 2) == 20);
  CHECK(speed(2, 1) == 20);
}

TEST_CASE("Where a device goes, what is on it goes to another of its kind") {
  const auto changes = machine_changes(machine(), 1);
  const MachineChange& less = named(changes, "without g1");
  CHECK(less.topology.devices().size() == 3);
  CHECK(less.now[2] == DeviceId(1));
  CHECK(less.now[3] == DeviceId(2));
  CHECK(!named(changes, "without fast").now[3]);
}

/// a 0-3 on gpu:1, its byte travels 3-4; b 0-4 and c 4-5 on gpu:0.
TEST_CASE("Explain searches again: one gpu alone takes 8 s, nothing else changes the 5 s of join") {
  const TempFolder folder;
  const std::string graph = folder.write("g.json", join_graph());
  const std::string placement =
      folder.write("p.json", R"({"format": "placer-placement", "version": 1,
                                 "placement": {"a": "gpu:1", "b": "gpu:0", "c": "gpu:0"}})");
  const Line line = {"explain", graph, "--placement", placement, "--json"};
  const auto told = run_json(joined(line, {"--search", "30"}));
  const auto step = [&](const std::string& name) {
    for (const auto& row : told["what_if_searched"]) {
      if (row["name"] == name) return row["step_seconds"].get<double>();
    }
    FAIL("no row is named " << name);
    return 0.0;
  };
  CHECK(step("the machine as it is") == 5);
  CHECK(step("one gpu:1 more") == 5);
  CHECK(step("without gpu:1") == 8);
  CHECK(told["conclusions"].back() ==
        "A new search finds nothing better here, and nothing better elsewhere.");
  CHECK(run_json(line)["what_if_searched"].empty());
  const auto other = run_json(joined(line, {"--search", "30", "--instead", "2gpu"}));
  CHECK(other["what_if_searched"].back()["name"] == "2gpu instead");
}

/// p and q (1 s each) stay on gpu:0, r (5 s), which reads q's byte, on gpu:1.
std::string pinned_graph() {
  auto graph = nlohmann::json::parse(join_graph());
  const auto op = [](const char* name, double seconds, const char* device) {
    return nlohmann::json{{"name", name}, {"seconds", {{"gpu", seconds}}}, {"devices", {device}}};
  };
  graph["ops"] = {op("p", 1, "gpu:0"), op("q", 1, "gpu:0"), op("r", 5, "gpu:1")};
  graph["edges"] = {{{"from", "q"}, {"to", "r"}, {"bytes", 1}}};
  return graph.dump();
}

TEST_CASE("A machine that only has more is never slower than the placement at hand") {
  // Given: q 0-1, its byte 1-2, r 2-7; 6.5 s with links twice as fast. Searches are under fifo,
  // where p comes first: 8 s, and 7.5 s.
  const TempFolder folder;
  const std::string placement =
      folder.write("p.json", R"({"format": "placer-placement", "version": 1,
                                 "placement": {"p": "gpu:0", "q": "gpu:0", "r": "gpu:1"},
                                 "sequences": {"gpu:0": ["q", "p"], "gpu:1": ["r"]}})");
  const auto told = run_json({"explain", folder.write("g.json", pinned_graph()), "--placement",
                              placement, "--search", "9", "--json"});
  REQUIRE(told["step_seconds"] == 7.0);
  std::map<std::string, double> steps;
  for (const auto& row : told["what_if_searched"]) {
    if (row["feasible"]) steps[row["name"]] = row["step_seconds"];
  }
  CHECK(steps.at("the machine as it is") == 7);
  CHECK(steps.at("1.000 GiB more memory on every device") == 7);
  CHECK(steps.at("one gpu:1 more") == 7);
  CHECK(steps.at("every link twice as fast") == 6.5);
}

}  // namespace
}  // namespace placer

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "cli/cli.hpp"
#include "cli/command_line.hpp"

namespace placer {
namespace {

using Json = nlohmann::json;

/// 1 s on gpu:0 and gpu:1 each, and 9 s on gpu:2, of another kind: two ops in parallel.
std::string two_ops(const TempFolder& folder) {
  Json graph = {{"format", "placer-graph"}, {"version", 1}, {"name", "two"}};
  for (const char* name : {"a", "b"}) {
    graph["ops"].push_back({{"name", name}, {"seconds", {{"fast", 1}, {"slow", 9}}}});
  }
  graph["edges"] = Json::array();
  graph["devices"] = {{"format", "placer-devices"}, {"version", 1}, {"links", Json::array()}};
  for (const auto& [name, type] :
       {std::pair("gpu:0", "fast"), {"gpu:1", "fast"}, {"gpu:2", "slow"}}) {
    graph["devices"]["devices"].push_back({{"name", name}, {"type", type}, {"memory_bytes", 100}});
  }
  return folder.write("g.json", graph.dump());
}

TEST_CASE("Advise finds the fewest devices that are as fast as all") {
  const TempFolder folder;
  const Json said = run_json({"advise", two_ops(folder), "--json"});
  CHECK(said["enough"] == Json({"gpu:0", "gpu:1"}));
  CHECK(said["cheapest"] == nullptr);
  REQUIRE(said["tried"].size() == 5);
  CHECK(said["tried"][0]["devices"] == Json({"gpu:0"}));
  CHECK(said["tried"][0]["step_seconds"] == 2.0);
  CHECK(said["tried"][1]["devices"] == Json({"gpu:2"}));
  CHECK(said["tried"][1]["step_seconds"] == 18.0);
  CHECK(said["tried"][4]["step_seconds"] == 1.0);
}

TEST_CASE("Advise keeps the sets that it tried before Ctrl-C, the first in any case") {
  const TempFolder folder;
  const Ran ran = run_interrupted({"advise", two_ops(folder), "--json"});
  CHECK(ran.code == kInterrupted);
  const Json said = Json::parse(ran.out);
  CHECK(said["interrupted"] == true);
  CHECK(said["tried"].size() == 1);
  CHECK(said["conclusions"][0] == "Interrupted after 1 of 5 sets of devices.");
}

TEST_CASE("Advise weighs prices by the hour") {
  const TempFolder folder;
  // A step on gpu:2 takes 18 s at 1 an hour: 5000 for a million; on a fast one 2 s at 36: 20,000.
  const Line line = {"advise", two_ops(folder), "--price", "fast=36", "--price", "gpu:2=1"};
  const Json said = run_json(joined(line, {"--json"}));
  CHECK(said["cheapest"] == Json({"gpu:2"}));
  CHECK(said["tried"][2]["price_per_hour"] == 72.0);
  CHECK(said["conclusions"][1] == "A step costs least on gpu:2: 5000.00 for a million.");
  CHECK_THAT(run(line).out, Catch::Contains("A step costs least on gpu:2"));
}

TEST_CASE("Advise tells of a device without a price, and weighs no set that has it") {
  const TempFolder folder;
  const Line line = {"advise", two_ops(folder), "--price", "fast=36"};
  const Json said = run_json(joined(line, {"--json"}));
  CHECK(said["cheapest"] == Json({"gpu:0"}));  // as dear as both: 20,000 for a million
  CHECK(said["tried"][0]["price_per_hour"] == 36.0);
  CHECK(said["tried"][1]["devices"] == Json({"gpu:2"}));
  CHECK(said["tried"][1]["price_per_hour"] == nullptr);
  CHECK(said["conclusions"].back() ==
        "Nothing says what gpu:2 costs an hour (--price NAME=PRICE): what sets with it cost is "
        "unknown.");
  CHECK_THAT(run(line).out,
             Catch::Contains(" 18.00 s          1700.0 %  unknown          unknown"));
  CHECK(run_json({"advise", line[1], "--json"})["tried"][0]["price_per_hour"] == nullptr);
}

TEST_CASE("Advise says by how many per cent enough is above the fastest") {
  const TempFolder folder;
  // a 200 s and b 1 s: a device alone takes 201 s, two 200 s: 0.5 % less, which is not worth it.
  Json graph = Json::parse(text_of(two_ops(folder)));
  graph["ops"][0]["seconds"]["fast"] = 200;
  graph["ops"][0]["seconds"]["slow"] = 2000;
  const Json said = run_json({"advise", folder.write("g.json", graph.dump()), "--json"});
  CHECK(said["enough"] == Json({"gpu:0"}));
  CHECK(said["conclusions"][0] ==
        "Enough: gpu:0, with 201.0 s, 0.5 % above the fastest, 200.0 s on gpu:0, gpu:1.");
}

TEST_CASE("Advise shows devices numbered through as ranges to people, and names each in JSON") {
  const TempFolder folder;
  Json graph = Json::parse(text_of(two_ops(folder)));
  graph["devices"]["devices"].clear();
  for (int i = 0; i < 8; ++i) {
    graph["devices"]["devices"].push_back(
        {{"name", fmt::format("gpu:{}", i)}, {"type", "fast"}, {"memory_bytes", 100}});
  }
  const std::string g = folder.write("g.json", graph.dump());
  const Line line = {"advise", g, "--price", "gpu:0=1"};
  CHECK_THAT(run(line).out, Catch::Contains("what gpu:1 to gpu:7 costs an hour") &&
                                Catch::Contains("\ngpu:0 to gpu:7 "));
  CHECK(run_json(joined(line, {"--json"}))["tried"].back()["devices"].size() == 8);
}

TEST_CASE("Advise says when nothing fits, and refuses a price of nothing known") {
  const TempFolder folder;
  Json graph = Json::parse(join_graph(5));
  const std::string path = folder.write("g.json", graph.dump());
  const Ran ran = run({"advise", path});
  CHECK(ran.code == kNothingFits);
  CHECK_THAT(ran.out, Catch::Contains("Nothing that was tried fits in memory."));
  for (const std::string price : {"gpu:7=1", "gpu:0", "gpu:0=x", "gpu:0=-1"}) {
    const Ran refused = run({"advise", path, "--price", price});
    CHECK(refused.code == kBadInput);
    CHECK_THAT(refused.err, Catch::Contains("option --price: expected NAME=PRICE"));
  }
}

}  // namespace
}  // namespace placer

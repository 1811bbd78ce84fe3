#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <string_view>

#include "placer/base/errors.hpp"
#include "placer/base/rng.hpp"
#include "placer/io/devices_file.hpp"
#include "placer/io/graph_file.hpp"
#include "placer/io/json_value.hpp"
#include "placer/io/placement_file.hpp"
#include "support/mutants.hpp"
#include "support/problems.hpp"
#include "support/sanitizers.hpp"

namespace placer {
namespace {

using testing::refused_mutants;

constexpr int kMutants = testing::kSanitized ? 2'000 : 20'000;

Problem small_problem() { return Problem(testing::diamond(), testing::alike()); }

}  // namespace

TEST_CASE("Damaged graph files read or give one line, never anything else") {
  const Topology devices = testing::alike();
  std::string good = write_graph(testing::diamond(), &devices);
  good.insert(good.find("\"name\": \"b\""),
              "\"type\": \"x\", \"outputs\": [{\"shape\": [1, 2]}], ");
  REQUIRE_NOTHROW(parse_graph(good, "f.json"));
  const int refused = refused_mutants(good, kMutants, "f.json: ", [](const std::string& text) {
    const GraphFile file = parse_graph(text, "f.json");
    // What reads can be written and read again.
    parse_graph(write_graph(file.graph, file.devices ? &*file.devices : nullptr), "f.json");
  });
  CHECK(refused > kMutants / 2);
  CHECK(refused < kMutants);
}

TEST_CASE("Damaged device files read or give one line, never anything else") {
  const std::string good = write_devices(testing::alike());
  const int refused = refused_mutants(
      good, kMutants, "f.json: ", [](const std::string& text) { parse_devices(text, "f.json"); });
  CHECK(refused > kMutants / 2);
}

TEST_CASE("Damaged placement files read or give one line, never anything else") {
  const Problem problem = small_problem();
  const Placement placement = testing::on_devices({0, 1, 0, 1});
  const Sequences sequences = {{OpId(0), OpId(2)}, {OpId(1), OpId(3)}};
  const std::string good =
      write_placement(problem, placement, {0, 8'000'000'000'000}, sequences, R"({"seed": 1})");
  REQUIRE(parse_placement(good, "f.json", problem).sequences == sequences);
  const int refused = refused_mutants(good, kMutants, "f.json: ", [&](const std::string& text) {
    parse_placement(text, "f.json", problem);
  });
  CHECK(refused > kMutants / 2);
}

TEST_CASE("Every prefix of a graph file is refused in one line") {
  const std::string good = write_graph(testing::diamond());
  for (std::size_t length = 0; length + 2 < good.size(); ++length) {
    CHECK_THROWS_AS(parse_graph(good.substr(0, length), "f.json"), Error);
  }
}

TEST_CASE("Nesting of a million levels is refused without running out of stack") {
  CHECK_THROWS_AS(parse_json(std::string(1'000'000, '['), "f.json"), Error);
}

TEST_CASE("An object of 100,000 keys names the one that it holds twice") {
  std::string text = "{";
  for (int i = 0; i < 100'000; ++i) text += "\"k" + std::to_string(i) + "\": 0, ";
  text += "\"k77\": 1}";
  CHECK_THROWS_WITH(parse_json(text, "f.json"),
                    "f.json: k77: expected each key once, found it twice");
}

TEST_CASE("Control characters in a message are shown and long texts are cut between characters") {
  CHECK(one_line("a\nb\x7f", 60) == "a\\x0ab\\x7f");
  CHECK(one_line("ééé", 3) == "é...");
  CHECK(one_line("abc", 3) == "abc");
}

}  // namespace placer

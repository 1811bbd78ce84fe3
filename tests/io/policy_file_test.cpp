#include "placer/io/policy_file.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "io/base64.hpp"
#include "placer/search/run.hpp"
#include "support/mutants.hpp"
#include "support/policies.hpp"

namespace placer::testing {
namespace {

/// A policy of the first algorithm that transfers, with its default options.
Policy any_policy() {
  Policy policy = small_policy(transferring_algorithms().at(0));
  policy.options = checked_options(find_optimizer(policy.algorithm).options, {});
  return policy;
}

TEST_CASE("base64 of 1.0 and 2.0 is what every other program writes") {
  CHECK(base64_of(std::vector<double>{1.0}) == "AAAAAAAA8D8=");
  CHECK(base64_of(std::vector<double>{1.0, 2.0}) == "AAAAAAAA8D8AAAAAAAAAQA==");
  CHECK(doubles_of("AAAAAAAA8D8AAAAAAAAAQA==") == std::vector<double>{1.0, 2.0});
  CHECK(doubles_of("") == std::vector<double>{});
  for (const char* bad :
       {"AAAAAAAA8D8", "AAAAAAAA8D8==", "AAAA", "AAAAAAAA8D?=", "AAAAAAAA8D9=", "=", "====", "A"}) {
    CHECK_FALSE(doubles_of(bad));
  }
}

TEST_CASE("a policy reads back bit by bit, and writes the same bytes again") {
  const Policy policy = any_policy();
  const std::string text = write_policy(policy);
  const Policy read = parse_policy(text, "p.json");
  CHECK(read == policy);
  CHECK(std::signbit(read.weights[0].values[1]));
  CHECK(read.counters[0].values[2] == 4'000'000'000'000'000'001);
  CHECK(write_policy(read) == text);
  const Policy bare = parse_policy(write_policy(policy.without_state()), "p.json");
  CHECK(bare.state.empty());
  CHECK(bare.counters.empty());
}

TEST_CASE("faults of a policy file give one line each") {
  const std::string good = write_policy(any_policy());
  const auto refused = [&](const std::string& from, const std::string& to, const char* message) {
    std::string text = good;
    REQUIRE(text.find(from) != std::string::npos);
    text.replace(text.find(from), from.size(), to);
    CHECK_THROWS_WITH(parse_policy(text, "p.json"), Catch::Contains(message));
  };
  refused("\"version\": 2", "\"version\": 1", "p.json: version: expected 2, found 1");
  refused("avg pool", "conv2d", "p.json: types[1]: expected distinct types, found 'conv2d' twice");
  refused("placer-policy", "placer-graph", "p.json: format: expected 'placer-policy'");
  refused("\"rows\": 2, \"columns\": 3", "\"rows\": 3, \"columns\": 3",
          "p.json: weights[0].values: expected 3 x 3 numbers, found 6");
  refused("\"first\"", "\"fourth\"", "p.json: checksum: expected ");
  refused("-5", "-6", "p.json: checksum: expected ");
  refused("\"devices\": 2", "\"devices\": 0", "p.json: devices: expected an integer from 1");
  refused("\"values\": \"", "\"values\": \"?", "p.json: weights[0].values: expected base64");
  Policy infinite = any_policy();
  infinite.weights[0].values[0] = std::numeric_limits<double>::infinity();
  CHECK_THROWS_WITH(parse_policy(write_policy(infinite), "p.json"),
                    Catch::Contains("weights[0].values: expected finite numbers"));
  // Without its last newline it is whole.
  for (std::size_t length = 0; length + 1 < good.size(); length += 7) {
    CHECK_THROWS_AS(parse_policy(good.substr(0, length), "p.json"), Error);
  }
}

TEST_CASE("mutants of a policy file read as the same policy or give one line") {
  const Policy policy = any_policy();
  const int refused =
      refused_mutants(write_policy(policy), 3000, "p.json", [&](const std::string& text) {
        const Policy read = parse_policy(text, "p.json");
        REQUIRE(read == policy);
      });
  CHECK(refused > 2500);
}

}  // namespace
}  // namespace placer::testing

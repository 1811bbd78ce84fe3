#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/cli.hpp"
#include "cli/command_line.hpp"

namespace placer {
namespace {

using Clock = Deadline::Clock;

nlohmann::json optimize_begun(Clock::time_point begin, const std::vector<std::string>& flags) {
  const TempFolder folder;
  std::vector<std::string> line = {"optimize", folder.write("g.json", join_graph()), "--json"};
  line.insert(line.end(), flags.begin(), flags.end());
  std::ostringstream out, err;
  Console console{.out = out, .err = err, .begin = begin};
  const int code = run_program(line, console);
  INFO(err.str());
  REQUIRE(code == kDone);
  return nlohmann::json::parse(out.str());
}

TEST_CASE("A time limit counts from the start of the program, so that reading can use it up") {
  const auto hour_ago = Clock::now() - std::chrono::hours(1);
  const auto found = optimize_begun(hour_ago, {"--algo", "random", "--time-limit", "60"});
  CHECK(found["evaluations"] == 1);
  CHECK(found["stopped"] == "time");
  CHECK(found["feasible"] == true);
}

TEST_CASE("An algorithm that does not serve the objective is told alone where nothing fits") {
  const TempFolder folder;
  const std::string graph = folder.write("g.json", R"({"format": "placer-graph", "version": 1,
      "ops": [{"name": "x", "params_bytes": 100000000000000, "flops": 1e9, "bytes": 8}],
      "tensors": []})");
  const Ran ran = run({"optimize", graph, "--devices", "2gpu", "--algo", "branch-and-bound",
                       "--objective", "throughput"});
  CHECK(ran.code == kBadInput);
  CHECK(ran.err.starts_with("placer: algorithm branch-and-bound: expected the objective latency"));
  CHECK(std::ranges::count(ran.err, '\n') == 1);
}

TEST_CASE("Without a time limit it does not matter when the program started") {
  const auto hour_ago = Clock::now() - std::chrono::hours(1);
  const auto found = optimize_begun(hour_ago, {"--algo", "random", "--evaluations", "50"});
  CHECK(found["evaluations"] == 50);
  CHECK(found["stopped"] == "evaluations");
  CHECK(found["lower_bound_seconds"] == 5.0);
}

}  // namespace
}  // namespace placer

#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>

#include "cli/cli.hpp"
#include "cli/command_line.hpp"

namespace placer {
namespace {

TEST_CASE("A search that was interrupted is resumed to the bytes that it would have written") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph()), c = folder.file("c.json");
  const std::string whole = folder.file("whole.json"), resumed = folder.file("resumed.json");
  for (const char* algorithm : {"random", "anneal", "genetic", "policy-gradient"}) {
    INFO(algorithm);
    const Line line = {"optimize",      g,       "--algo",     algorithm, "--seed", "3",
                       "--evaluations", "20000", "--progress", "json"};
    Process process(joined(line, {"-q", "--checkpoint", c, "-o", resumed}));
    process.read_error_line();
    process.signal(SIGTERM);
    REQUIRE(process.finish().code == kInterrupted);
    const auto done = nlohmann::json::parse(text_of(c))["evaluations"].get<int>();
    CHECK(done > 0);
    CHECK(done < 20000);
    REQUIRE(run(joined(line, {"-q", "-o", whole})).code == kDone);
    REQUIRE(run(joined(line, {"-q", "--resume", c, "--checkpoint", c, "-o", resumed})).code ==
            kDone);
    CHECK(text_of(resumed) == text_of(whole));
    if (std::string(algorithm) != "policy-gradient") {  // whose refinement ends early
      CHECK(nlohmann::json::parse(text_of(c))["evaluations"] == 20000);
    }
  }
}

TEST_CASE("A checkpoint of another search names its file, and one by the clock is refused") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph()), c = folder.file("c.json");
  const Line line = {"optimize", g, "--algo", "random", "-q"};
  REQUIRE(run(joined(line, {"--evaluations", "50", "--checkpoint", c})).code == kDone);
  const auto error_of = [&](const Line& more) {
    const Ran ran = run(joined(line, more));
    CHECK(ran.code == kBadInput);
    return ran.err;
  };
  CHECK(error_of({"--evaluations", "60", "--resume", c}) ==
        "placer: " + c +
            ": checkpoint: expected one of this search, found one with evaluations 50 instead of "
            "60\n");
  CHECK(error_of({"--time-limit", "1", "--checkpoint", c}) ==
        "placer: --checkpoint: expected a budget in evaluations, as a search by the clock cannot "
        "be repeated; found --time-limit\n");
  CHECK(error_of({"--checkpoint", "/dev/stdout"}) ==
        "placer: --checkpoint: expected a file that can be replaced, found '/dev/stdout'\n");
  CHECK(error_of({"--checkpoint", g}) ==
        "placer: --checkpoint: expected another file than GRAPH, found '" + g + "' for both\n");
  CHECK_THAT(error_of({"--resume", g}),
             Catch::StartsWith("placer: " + g + ": format: expected 'placer-checkpoint'"));
}

}  // namespace
}  // namespace placer

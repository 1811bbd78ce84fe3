// What the program says is proven: optima, and that nothing fits.
#include <catch2/catch.hpp>

#include "cli/cli.hpp"
#include "cli/command_line.hpp"

namespace placer {
namespace {

TEST_CASE("A placement whose step time is the lower bound is called optimal") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph());
  const auto found = run_json({"optimize", g, "--algo", "exhaustive", "--json"});
  CHECK(found["proven"] == true);
  CHECK(found["lower_bounds"]["B1"] == 5.0);
  CHECK(found["lower_bounds"]["B4"] == 4.0);
  CHECK(found["infeasible"] == nullptr);
  CHECK_THAT(run({"optimize", g, "--algo", "exhaustive"}).out,
             Catch::Contains("lower bound       5.000 s (B1: critical path)") &&
                 Catch::Contains("gap 0.0 %, proven optimal"));
}

TEST_CASE("An exact search proves its best above the lower bound, a heuristic one does not") {
  // Three ops of 2 s and one of 3.5 s on two devices: 4.75 s of work each, but 5.5 s at best.
  const TempFolder folder;
  const std::string g = folder.write("g.json", R"({"format": "placer-graph", "version": 1,
    "ops": [{"name": "a", "type": "x", "seconds": {"gpu": 2}},
            {"name": "b", "type": "x", "seconds": {"gpu": 2}},
            {"name": "c", "type": "x", "seconds": {"gpu": 2}},
            {"name": "d", "type": "x", "seconds": {"gpu": 3.5}}], "edges": [],
    "devices": {"format": "placer-devices", "version": 1,
      "devices": [{"name": "gpu:0", "type": "gpu", "memory_bytes": 1},
                  {"name": "gpu:1", "type": "gpu", "memory_bytes": 1}], "links": []}})");
  const auto exact = run_json({"optimize", g, "--algo", "branch-and-bound", "--json"});
  CHECK(exact["step_seconds"] == 5.5);
  CHECK(exact["lower_bound_seconds"] == 5.5);
  CHECK(exact["proven"] == true);
  CHECK(exact["stopped"] == "proven");
  const auto other = run_json({"optimize", g, "--algo", "heft", "--json"});
  CHECK(other["step_seconds"] == 5.5);
  CHECK(other["lower_bound_seconds"] == 5.0);
  CHECK(other["stopped"] == "exhausted");
  CHECK(other["proven"] == false);
}

TEST_CASE("Where an op fits nowhere optimize and inspect say so in one line") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph(15));
  const std::string reason =
      "the group of op 'b' needs at least 21 bytes at once, more than any device where it may go "
      "has";
  const Ran inspected = run({"inspect", g});
  CHECK(inspected.code == kNothingFits);
  CHECK_THAT(inspected.out, Catch::Contains(reason));
  CHECK(run_json({"inspect", g, "--json"}, kNothingFits)["infeasible"] == reason);
  const Ran ran = run({"optimize", g, "--algo", "heft"});
  CHECK(ran.err == "placer: join on graph file: nothing can fit: " + reason + "\n");
  CHECK(ran.code == kNothingFits);
  CHECK_THAT(ran.out, Catch::Contains("infeasible") && Catch::Contains(reason));
  const auto found = run_json({"optimize", g, "--algo", "heft", "--json"}, kNothingFits);
  CHECK(found["infeasible"] == reason);
  CHECK(found["proven"] == false);
  CHECK(found["gap"] == nullptr);
}

TEST_CASE("Memories too small for the parameters are told with both figures, before the search") {
  // 30 bytes of parameters on two devices of 14 bytes.
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph(14));
  const std::string reason = "the parameters take 30 B, all devices together have 28 B";
  const std::string warning = "placer: join on graph file: nothing can fit: " + reason + "\n";
  CHECK_THAT(run({"inspect", g}).out, Catch::Contains("infeasible     " + reason + "\n"));
  const Ran found = run({"optimize", g, "--algo", "heft"});
  CHECK(found.code == kNothingFits);
  CHECK(found.err == warning);
  CHECK_THAT(found.out, Catch::Contains("infeasible  " + reason + "\n"));
  const Ran progress = run({"optimize", g, "--algo", "heft", "--progress", "json", "-q"});
  CHECK_THAT(progress.err, Catch::StartsWith(warning + "{"));
  const Ran compared = run({"compare", g, "--algo", "heft,cpop", "--seeds", "1"});
  CHECK(compared.code == kNothingFits);
  CHECK(compared.err == warning);
}

TEST_CASE("A result that does not fit is told in one line, and whether anything else can") {
  // Of three ops of 10 bytes two share a device of 20, which has no room for what they hand on.
  const TempFolder folder;
  const std::string g = folder.write("g.json", R"({"format": "placer-graph", "version": 1,
    "name": "three", "ops": [
      {"name": "a", "type": "x", "seconds": {"gpu": 1}, "params_bytes": 10},
      {"name": "b", "type": "x", "seconds": {"gpu": 1}, "params_bytes": 10},
      {"name": "c", "type": "x", "seconds": {"gpu": 1}, "params_bytes": 10}],
    "edges": [{"from": "a", "to": "b", "bytes": 1}, {"from": "b", "to": "c", "bytes": 1}],
    "devices": {"format": "placer-devices", "version": 1,
      "devices": [{"name": "gpu:0", "type": "gpu", "memory_bytes": 20},
                  {"name": "gpu:1", "type": "gpu", "memory_bytes": 20}],
      "links": [{"from": "*", "to": "*", "bytes_per_second": 1}]}})");
  const std::string o = folder.file("o.json");
  const Ran all = run({"optimize", g, "--algo", "exhaustive", "-q", "-o", o});
  CHECK(all.code == kNothingFits);
  CHECK(all.err ==
        "placer: three on graph file: nothing can fit: the search has ruled out every placement\n");
  const auto found = run_json({"optimize", g, "--algo", "exhaustive", "--json"}, kNothingFits);
  CHECK(found["infeasible"] == "the search has ruled out every placement");
  CHECK(found["proven"] == false);
  const Ran some = run({"optimize", g, "--algo", "heft", "-q"});
  CHECK(some.code == kNothingFits);
  CHECK_THAT(some.err,
             Catch::StartsWith("placer: three on graph file: nothing found fits: the best "
                               "is ") &&
                 Catch::EndsWith(" over the memory\n"));
  const Ran given = run({"simulate", g, "--placement", o, "-q"});
  CHECK(given.code == kNothingFits);
  CHECK_THAT(given.err, Catch::StartsWith("placer: three on graph file: this placement does not "
                                          "fit: "));
}

TEST_CASE("A search that proves has no standard budget, and a saved request has none either") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph());
  const std::string o = folder.file("o.json");
  REQUIRE(run({"optimize", g, "--algo", "exhaustive", "-o", o}).code == kDone);
  CHECK_FALSE(nlohmann::json::parse(text_of(o))["request"].contains("evaluations"));
  const std::string again = folder.file("again.json");
  REQUIRE(run({"optimize", g, "--config", o, "-o", again}).code == kDone);
  CHECK(text_of(o) == text_of(again));
}

}  // namespace
}  // namespace placer

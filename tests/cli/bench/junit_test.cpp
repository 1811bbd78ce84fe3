#include "cli/bench/junit.hpp"

#include <catch2/catch.hpp>
#include <sstream>

#include "cli/bench/fault.hpp"
#include "cli/command_line.hpp"
#include "cli/shared/command.hpp"

namespace placer {
namespace {

/// Found 5.1 s against a stored 5 s.
BenchRun slower_run(const BenchCase& which) {
  BenchRun run{&which, {}, BaselineCase{which.name, {.step_ps = 5'000'000'000'000}, 9, 0}, {}};
  run.result.score.step_ps = 5'100'000'000'000;
  run.result.wall_seconds = 0.25;
  run.verdict = Verdict::kRegression;
  return run;
}

BenchCase random_case(const std::string& name) {
  BenchCase made{.name = name, .graph = "my g.json", .optimizer = &find_optimizer("random")};
  made.options = checked_options(made.optimizer->options, {});
  made.evaluations = 9;
  return made;
}

TEST_CASE("JUnit has a failure for a regression, an error, a skipped case and a passed one") {
  const std::vector<BenchCase> cases = {random_case("a<b"), random_case("odd"), random_case("late"),
                                        random_case("good")};
  BenchRun good{&cases[3], {}, std::nullopt, {}};
  const BenchReport report{.suite = "s.json",
                           .runs = {slower_run(cases[0]), good},
                           .failures = {{&cases[1], {.reason = "expected \"x\""}}}};
  const std::string xml = bench_junit(report, cases);
  const auto has = [&](const std::string& text) { return xml.find(text) != std::string::npos; };
  CHECK(has("<testsuites tests=\"4\" failures=\"1\" errors=\"1\" skipped=\"1\" time=\"0.250\">"));
  CHECK(
      has("name=\"a&lt;b\" time=\"0.250\">\n      <failure type=\"regression\" "
          "message=\"a&lt;b: 5.100 s, 2 % longer than 5.000 s"));
  CHECK(has("name=\"odd\" time=\"0.000\">\n      <error message=\"expected &quot;x&quot;\"/>"));
  CHECK(has("name=\"late\" time=\"0.000\">\n      <skipped/>"));
  CHECK(has("name=\"good\" time=\"0.000\"/>"));
}

TEST_CASE("The command that repeats a case quotes paths and names what is not usual") {
  BenchCase which = random_case("x");
  CHECK(repeating_command(which) ==
        "placer optimize 'my g.json' --algo random --evaluations 9 --seed 1");
  which.optimizer = &find_optimizer("post");
  which.options = checked_options(which.optimizer->options, {{"elite-share", 0.25}});
  which.devices = "2gpu";
  which.seed = 3;
  which.grouping = {Grouping::Kind::kCount, 20};
  which.order = Order::kPct;
  CHECK(repeating_command(which) ==
        "placer optimize 'my g.json' --devices 2gpu --algo post --elite-share=0.25 --evaluations 9 "
        "--seed 3 --groups 20 --order pct");
}

TEST_CASE("The command that bench names finds what bench found, and JUnit is written") {
  const TempFolder folder;
  folder.write("g.json", join_graph());
  const std::string suite = folder.write("s.json",
                                         R"({"format": "placer-suite", "version": 1,
          "defaults": {"graph": "g.json", "algo": "genetic", "evaluations": 20, "seed": 5},
          "cases": [{"name": "x"}]})");
  const std::string baseline = folder.write("b.json", R"({"format": "placer-baseline", "version": 1,
                    "cases": [{"name": "x", "step_seconds": 4.9, "evaluations": 20}]})");
  const std::string junit = folder.file("junit.xml");
  const auto told =
      run_json({"bench", suite, "--baseline", baseline, "--json", "--junit", junit}, kMissed);
  CHECK(text_of(junit).find("failures=\"1\"") != std::string::npos);
  std::istringstream words(told["cases"][0]["command"].get<std::string>());
  Line line;
  for (std::string word; words >> word;) line.push_back(word);
  REQUIRE(line.front() == "placer");
  line.erase(line.begin());
  CHECK(run_json(joined(line, {"--json"}))["step_seconds"] == told["cases"][0]["step_seconds"]);
}

TEST_CASE("A case whose graph is missing is an error in JUnit, and the others run: exit 1") {
  const TempFolder folder;
  folder.write("g.json", join_graph());
  const std::string suite = folder.write("s.json",
                                         R"({"format": "placer-suite", "version": 1,
          "defaults": {"algo": "genetic", "evaluations": 20},
          "cases": [{"name": "gone", "graph": "gone.json"}, {"name": "x", "graph": "g.json"}]})");
  const std::string baseline = folder.write("b.json", R"({"format": "placer-baseline", "version": 1,
                    "cases": [{"name": "gone", "step_seconds": 1, "evaluations": 20},
                              {"name": "x", "step_seconds": 5, "evaluations": 20}]})");
  const std::string junit = folder.file("junit.xml");
  const Ran ran = run({"bench", suite, "--baseline", baseline, "-q", "--junit", junit});
  CHECK(ran.code == kBadInput);
  CHECK(ran.err.find("placer: case 'gone' failed: " + folder.file("gone.json")) == 0);
  const std::string xml = text_of(junit);
  const auto has = [&](const std::string& text) { return xml.find(text) != std::string::npos; };
  CHECK(has("<testsuites tests=\"2\" failures=\"0\" errors=\"1\" skipped=\"0\""));
  CHECK(has("name=\"gone\" time=\"0.000\">\n      <error message=\"" + folder.file("gone.json")));
  CHECK(run({"bench", suite, "--baseline", baseline, "-q", "--update"}).code == kBadInput);
}

TEST_CASE("A suite or baseline that cannot be read is an error in JUnit, too: exit 1") {
  const TempFolder folder;
  const std::string suite = folder.write("s.json", R"({"format": "placer-suite"})");
  const std::string junit = folder.file("junit.xml");
  const Ran ran = run({"bench", suite, "--baseline", folder.file("b.json"), "--junit", junit});
  CHECK(ran.code == kBadInput);
  const std::string reason = ran.err.substr(std::string_view("placer: ").size());
  CHECK(text_of(junit).find("<error message=\"" + reason.substr(0, reason.find(':'))) !=
        std::string::npos);
  CHECK(text_of(junit).find("tests=\"1\" failures=\"0\" errors=\"1\"") != std::string::npos);
}

}  // namespace
}  // namespace placer

#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>

#include "cli/bench/baseline.hpp"
#include "cli/cli.hpp"
#include "cli/command_line.hpp"
#include "cli/shared/command.hpp"
#include "placer/io/files.hpp"

namespace placer {
namespace {

using Json = nlohmann::json;

/// In a folder: the graph join.json (random finds 5 s, one device takes 8 s), a suite of two cases
/// and its baseline.
class Suite {
 public:
  Suite() {
    folder.write("join.json", join_graph());
    cases = {
        {{"name", "random"}, {"graph", "join.json"}, {"algo", "random"}, {"evaluations", 200}},
        {{"name", "alone"}, {"graph", "join.json"}, {"algo", "single-device"}, {"evaluations", 5}}};
    stored = {{{"name", "random"}, {"step_seconds", 5.0}, {"evaluations", 200}},
              {{"name", "alone"}, {"step_seconds", 8.0}, {"evaluations", 5}}};
  }

  std::string suite() const { return write("suite.json", "placer-suite", cases); }
  std::string baseline() const { return write("baseline.json", "placer-baseline", stored); }
  Ran bench(std::vector<std::string> more = {}) const {
    std::vector<std::string> line = {"bench", suite(), "--baseline", baseline()};
    line.insert(line.end(), more.begin(), more.end());
    return run(line);
  }
  /// The one line of a refused suite, without the folder.
  std::string error() const {
    const Ran ran = bench();
    CHECK(ran.code == kBadInput);
    CHECK(ran.out.empty());
    std::string text = ran.err;
    for (std::size_t at; (at = text.find(folder.file(""))) != std::string::npos;) {
      text.erase(at, folder.file("").size());
    }
    return text;
  }

  TempFolder folder;
  Json cases, stored;

 private:
  std::string write(const std::string& name, const char* format, const Json& list) const {
    return folder.write(name, Json{{"format", format}, {"version", 1}, {"cases", list}}.dump());
  }
};

TEST_CASE("Results equal to the baseline are no regression: exit 0") {
  const Suite suite;
  const Ran ran = suite.bench();
  INFO(ran.err << ran.out);
  CHECK(ran.code == kDone);
  CHECK(ran.out.find("no case got better or worse\n") != std::string::npos);
}

TEST_CASE("A step of 5 s against a stored 4.9 s is a regression: exit 3, and its name") {
  Suite suite;
  suite.stored[0]["step_seconds"] = 4.9;
  const Ran ran = suite.bench();
  CHECK(ran.code == kMissed);
  CHECK(ran.out.find("worse than the baseline: random\n") != std::string::npos);
  CHECK(ran.out.find("+2.041 %") != std::string::npos);
  CHECK(Process({"bench", suite.suite(), "--baseline", suite.baseline()}).finish().code == kMissed);
}

/// Whose options only the run itself refuses.
Json failing_case() {
  return {{"name", "odd"},
          {"graph", "join.json"},
          {"algo", "gdp"},
          {"options", {{"width", 21}}},
          {"evaluations", 9}};
}

TEST_CASE("A case that fails is named with its reason, the others have run: exit 1") {
  Suite suite;
  suite.cases.insert(suite.cases.begin(), failing_case());
  suite.stored.push_back({{"name", "odd"}, {"step_seconds", 5.0}, {"evaluations", 9}});
  const std::string reason = "option width: expected an even multiple of heads (4), found 21";
  const Ran ran = suite.bench();
  CHECK(ran.code == kBadInput);
  CHECK_THAT(ran.err, Catch::Contains("case 'odd' failed: " + reason));
  CHECK_THAT(ran.out, Catch::Contains("random") && Catch::Contains("+0.000 %") &&
                          Catch::Contains("odd failed: " + reason));
  const Json cases = Json::parse(suite.bench({"--json"}).out).at("cases");
  REQUIRE(cases.size() == 3);
  CHECK(cases[0].at("verdict") == "same");
  CHECK(cases[2].at("verdict") == "failed");
  CHECK(cases[2].at("reason") == reason);
}

TEST_CASE("A case that fails leaves the baseline as it was") {
  Suite suite;
  suite.cases.push_back(failing_case());
  const std::string before = read_text(suite.baseline());
  const std::string file = suite.folder.file("baseline.json");
  CHECK(run({"bench", suite.suite(), "--baseline", file, "--update"}).code == kBadInput);
  CHECK(read_text(file) == before);
}

TEST_CASE("A tolerance of 2.1 % covers 5 s against 4.9 s, one of 2 % does not") {
  Suite suite;
  suite.stored[0]["step_seconds"] = 4.9;
  suite.stored[0]["tolerance"] = 0.021;
  const Ran within = suite.bench();
  CHECK(within.code == kDone);
  CHECK(within.out.find("within tolerance") != std::string::npos);
  suite.stored[0]["tolerance"] = 0.02;
  CHECK(suite.bench().code == kMissed);
}

TEST_CASE("A case that got better is named and is no regression") {
  Suite suite;
  suite.stored[1]["step_seconds"] = 8.5;
  const Ran ran = suite.bench();
  CHECK(ran.code == kDone);
  CHECK(ran.out.find("better than the baseline: alone (--update keeps that)\n") !=
        std::string::npos);
}

TEST_CASE("JSON names verdicts, regressions and improvements") {
  Suite suite;
  suite.stored[0]["step_seconds"] = 4.0;
  suite.stored[1]["step_seconds"] = 10.0;
  const Ran ran = suite.bench({"--json"});
  CHECK(ran.code == kMissed);
  const Json found = Json::parse(ran.out);
  CHECK(found["regressions"] == Json{"random"});
  CHECK(found["improved"] == Json{"alone"});
  CHECK(found["cases"][0]["verdict"] == "regression");
  CHECK(found["cases"][0]["step_seconds"] == 5.0);
  CHECK(found["cases"][0]["baseline_step_seconds"] == 4.0);
  CHECK(found["cases"][0]["change"] == 0.25);
  CHECK(found["cases"][0]["evaluations"] == 200);
  CHECK(found["cases"][1]["verdict"] == "improved");
  CHECK(found["interrupted"] == false);
}

TEST_CASE("The flag --update writes what passes afterwards, and keeps the tolerances") {
  Suite suite;
  suite.stored[0]["step_seconds"] = 1.0;
  suite.stored[0]["tolerance"] = 0.5;
  suite.stored.erase(1);
  CHECK(suite.bench({"--update", "-q"}).code == kDone);
  const std::string file = suite.folder.file("baseline.json");
  const auto stored = read_baseline(file);
  REQUIRE(stored.size() == 2);
  CHECK(stored[0].score == Score{0, 5'000'000'000'000});
  CHECK(stored[0].tolerance == 0.5);
  CHECK(stored[1].name == "alone");
  CHECK(stored[1].tolerance == 0);
  CHECK(run({"bench", suite.suite(), "--baseline", file}).code == kDone);
}

TEST_CASE(
    "The flag --update makes a baseline where there was none, and without it that is an error") {
  const Suite suite;
  const std::string file = suite.folder.file("new.json");
  CHECK(run({"bench", suite.suite(), "--baseline", file}).code == kBadInput);
  CHECK_FALSE(std::filesystem::exists(file));
  CHECK(run({"bench", suite.suite(), "--baseline", file, "--update"}).code == kDone);
  CHECK(text_of(file) ==
        "{\n"
        "  \"format\": \"placer-baseline\",\n"
        "  \"version\": 1,\n"
        "  \"cases\": [\n"
        "    {\"name\":\"random\",\"step_seconds\":5.0,\"evaluations\":200},\n"
        "    {\"name\":\"alone\",\"step_seconds\":8.0,\"evaluations\":5}\n"
        "  ]\n"
        "}\n");
}

TEST_CASE("Suite and baseline must have the same cases with the same budgets") {
  Suite missing;
  missing.stored.erase(1);
  CHECK(missing.error() ==
        "placer: baseline.json: cases: expected 'alone' of suite.json, found no such case; "
        "--update adds it\n");
  Suite extra;
  extra.cases.erase(0);
  CHECK(extra.error() ==
        "placer: baseline.json: cases: expected only cases of suite.json, found 'random'; "
        "--update removes it\n");
  Suite budget;
  budget.cases[0]["evaluations"] = 300;
  CHECK(budget.error() ==
        "placer: baseline.json: cases['random'].evaluations: expected 300 as in suite.json, found "
        "200; --update runs it anew\n");
}

TEST_CASE("A suite cannot have a budget in seconds") {
  Suite suite;
  suite.cases[0]["time_limit"] = 3;
  CHECK(suite.error() ==
        "placer: suite.json: cases[0]: expected a budget in evaluations, which gives the same "
        "result everywhere, found 'time_limit'\n");
}

TEST_CASE("Faults in a suite are one line with their place") {
  const auto error_with = [](const char* key, Json value) {
    Suite suite;
    suite.cases[0][key] = std::move(value);
    return suite.error();
  };
  CHECK(error_with("algo", "rendom")
            .find("suite.json: cases[0].algo: expected one of auto, post, ") != std::string::npos);
  CHECK(error_with("algo", "rendom").find("(did you mean 'random'?)") != std::string::npos);
  CHECK(error_with("sede", 1).find("cases[0]: expected one of the keys ") != std::string::npos);
  CHECK(error_with("evaluations", 0).find("cases[0].evaluations: expected an integer from 1") !=
        std::string::npos);
  CHECK(error_with("groups", "some") ==
        "placer: suite.json: cases[0].groups: expected auto, none or an integer from 1, found "
        "'some'\n");
  CHECK(error_with("order", "lifo") ==
        "placer: suite.json: cases[0].order: expected fifo or priority or pct or msr or program "
        "or given, found 'lifo' (did you mean 'fifo'?)\n");
  CHECK(error_with("name", "alone").find("cases[1]: expected a name that no case before has") !=
        std::string::npos);
  CHECK(error_with("options", {{"speed", 3}}).find("cases[0].options: expected ") !=
        std::string::npos);
  Suite none;
  none.cases = Json::array();
  CHECK(none.error() == "placer: suite.json: cases: expected at least one case, found none\n");
  CHECK(run({"bench", none.suite()}).err ==
        "placer: bench: expected --baseline FILE, found none\n");
}

TEST_CASE("Options, groups and order of a case are those of the search") {
  Suite suite;
  suite.cases = {{{"name", "post"},
                  {"graph", "join.json"},
                  {"algo", "post"},
                  {"options", {{"elite-share", 0.2}}},
                  {"groups", 2},
                  {"order", "priority"},
                  {"seed", 4},
                  {"evaluations", 60}}};
  const Ran ran = suite.bench({"--update", "--json"});
  INFO(ran.err);
  REQUIRE(ran.code == kDone);
  const Json alone = run_json({"optimize", suite.folder.file("join.json"), "--algo", "post",
                               "--elite-share", "0.2", "--groups", "2", "--order", "priority",
                               "--seed", "4", "--evaluations", "60", "--json"});
  CHECK(Json::parse(ran.out)["cases"][0]["step_seconds"] == alone["step_seconds"]);
  suite.cases[0]["options"]["elite-share"] = 2;
  CHECK(suite.error().find("cases[0].options.elite-share: expected a number from ") !=
        std::string::npos);
}

TEST_CASE("A result that does not fit is stored with its overflow and compared again") {
  Suite suite;
  suite.folder.write("join.json", join_graph(5));
  CHECK(suite.bench({"--update"}).code == kDone);
  const std::string file = suite.folder.file("baseline.json");
  CHECK(read_baseline(file)[0].score.overflow_bytes > 0);
  CHECK(run({"bench", suite.suite(), "--baseline", file}).code == kDone);
}

TEST_CASE("An interrupted update leaves the baseline as it was and exits 130") {
  Suite suite;
  suite.cases[0]["evaluations"] = 4'000'000'000'000;
  const std::string before = text_of(suite.baseline());
  Process process({"bench", suite.suite(), "--baseline", suite.folder.file("baseline.json"),
                   "--update", "--progress", "json"});
  process.read_error_line();
  process.signal(SIGTERM);
  const Ran ran = process.finish();
  CHECK(ran.code == kInterrupted);
  CHECK(ran.out.find("interrupted: 0 of 2 cases were complete; the baseline is as it was\n") !=
        std::string::npos);
  CHECK(text_of(suite.folder.file("baseline.json")) == before);
}

}  // namespace
}  // namespace placer

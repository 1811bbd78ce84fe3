#include <catch2/catch.hpp>
#include <csignal>
#include <sstream>

#include "cli/cli.hpp"
#include "cli/command_line.hpp"
#include "cli/shared/command.hpp"

namespace placer {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

/// 30 independent ops of 1 to 30 s on two equal devices: the work is 465 s, so the best possible
/// step is 233 s. Random placements hardly ever get there, so that seeds differ.
std::string wide_graph(const std::string& name = "wide", std::int64_t memory_bytes = 100) {
  Json graph{
      {"format", "placer-graph"}, {"version", 1}, {"name", name}, {"tensors", Json::array()}};
  for (int i = 1; i <= 30; ++i) {
    graph["ops"].push_back({{"name", "op" + std::to_string(i)},
                            {"type", "matmul"},
                            {"params_bytes", 1},
                            {"seconds", {{"gpu", i}}}});
  }
  graph["devices"] = {{"format", "placer-devices"}, {"version", 1}, {"links", Json::array()}};
  for (const char* device : {"gpu:0", "gpu:1"}) {
    graph["devices"]["devices"].push_back(
        {{"name", device}, {"type", "gpu"}, {"memory_bytes", memory_bytes}});
  }
  return graph.dump();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// Algorithm `name` of the first graph.
Json row_of(const Json& compared, const std::string& name) {
  for (const Json& row : compared["graphs"][0]["algorithms"]) {
    if (row["algorithm"] == name) return row;
  }
  FAIL("no row for " << name);
  return {};
}

TEST_CASE(
    "Compare runs each algorithm from each seed with the same budget, deterministic ones once") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", wide_graph());
  const Json compared = run_json({"compare", g, "--algo", "random,hill-climb,heft", "--seeds", "4",
                                  "--evaluations", "50", "--json"});
  CHECK(compared["budget"]["evaluations"] == 50);
  CHECK(compared["budget"]["seconds"].is_null());
  CHECK(compared["seeds"] == 4);
  CHECK(compared["interrupted"] == false);
  const Json& runs = compared["graphs"][0]["runs"];
  REQUIRE(runs.size() == 9);
  for (std::size_t i = 0; i < 8; ++i) {
    CHECK(runs[i]["algorithm"] == (i < 4 ? "random" : "hill-climb"));
    CHECK(runs[i]["seed"] == 1 + i % 4);
    CHECK(runs[i]["evaluations"] == 50);
    CHECK(runs[i]["evaluations_to_best"] <= 50);
  }
  CHECK(runs[8]["algorithm"] == "heft");
  CHECK(runs[8]["evaluations"] <= 50);
  CHECK(row_of(compared, "heft")["deterministic"] == true);
  CHECK(row_of(compared, "random")["deterministic"] == false);
  CHECK(compared["graphs"][0]["lower_bound_seconds"] == 233);
  CHECK(compared["graphs"][0]["single_device_seconds"] == 465.0);
}

TEST_CASE("A run of a comparison is the run that optimize makes from the same seed") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", wide_graph());
  const Json compared = run_json({"compare", g, "--algo", "hill-climb", "--seeds", "3",
                                  "--evaluations", "40", "--groups", "10", "--json"});
  const Json alone = run_json({"optimize", g, "--algo", "hill-climb", "--seed", "3",
                               "--evaluations", "40", "--groups", "10", "--json"});
  const Json& third = compared["graphs"][0]["runs"][2];
  CHECK(third["seed"] == 3);
  CHECK(third["step_seconds"] == alone["step_seconds"]);
  CHECK(third["recent_mean_seconds"] == alone["recent_mean_seconds"]);
  CHECK(third["evaluations_to_best"] == alone["history"].back()["evaluations"]);
}

TEST_CASE("The summary of three seeds is their middle, and half way to the outer ones") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", wide_graph());
  const Json compared =
      run_json({"compare", g, "--algo", "random", "--seeds", "3", "--evaluations", "5", "--json"});
  std::vector<double> steps;
  for (const Json& run : compared["graphs"][0]["runs"]) steps.push_back(run["step_seconds"]);
  std::sort(steps.begin(), steps.end());
  const Json row = row_of(compared, "random");
  CHECK(steps[0] < steps[2]);
  CHECK(row["least_seconds"] == steps[0]);
  CHECK(row["quartile_1_seconds"] == (steps[0] + steps[1]) / 2);
  CHECK(row["median_seconds"] == steps[1]);
  CHECK(row["quartile_3_seconds"] == (steps[1] + steps[2]) / 2);
  CHECK(row["gap"] == Approx((steps[1] - 233) / 233));
  CHECK(row["fits_share"] == 1.0);
  CHECK(row["against"].is_null());
}

TEST_CASE("Eight seeds of eight beat one evaluation: p = 2/256, the mirror image when swapped") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", wide_graph());
  const auto test_of = [&](const std::string& algorithms, const std::string& second) {
    const Json row = row_of(run_json({"compare", g, "--algo", algorithms, "--seeds", "8",
                                      "--evaluations", "300", "--json"}),
                            second);
    return std::tuple<int, int, int, double>(row["wins"], row["losses"], row["ties"],
                                             row["p_value"]);
  };
  const auto [wins, losses, ties, p] = test_of("single-device,hill-climb", "hill-climb");
  CHECK(wins == 8);
  CHECK(losses == 0);
  CHECK(ties == 0);
  CHECK(p == Approx(2.0 / 256));
  CHECK(std::get<1>(test_of("hill-climb,single-device", "single-device")) == 8);
  // Both deterministic: one pair says all, and it cannot be significant.
  const auto [one, none, no_ties, even] = test_of("single-device,heft", "heft");
  CHECK(std::tuple(one, none, no_ties, even) == std::tuple(1, 0, 0, 1.0));
}

TEST_CASE("A deterministic algorithm whose merged groups are refined runs from every seed") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", wide_graph());
  const Json compared = run_json({"compare", g, "--algo", "single-device", "--seeds", "3",
                                  "--groups", "4", "--evaluations", "40", "--json"});
  CHECK(row_of(compared, "single-device")["runs"] == 3);
  CHECK(row_of(compared, "single-device")["deterministic"] == false);
}

TEST_CASE("The text names bound and single device, and marks what is deterministic") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph());
  const Ran ran = run({"compare", g, "--algo", "heft,single-device", "--seeds", "5"});
  REQUIRE(ran.code == kDone);
  CHECK(ran.err.empty());
  const auto lines = lines_of(ran.out);
  CHECK(lines[0] == "Each run has 2400 evaluations; seeds 1 to 5, order fifo, groups auto.");
  CHECK(lines[2] == "join on graph file: 3 ops in 3 groups");
  CHECK(lines[3].ends_with("against heft"));
  CHECK(lines[4].starts_with("heft                1 (deterministic)  5.000 s"));
  CHECK(lines[5].starts_with("single-device       1 (deterministic)  8.000 s"));
  CHECK(lines[5].ends_with("0-1, p 1"));
  CHECK(lines[6].starts_with("one device (gpu:0)                     8.000 s"));
  CHECK(lines[6].ends_with("60.0 %"));
  CHECK(lines[7] == "lower bound                            5.000 s");
}

TEST_CASE("Markdown has a heading and a table for each graph, and no sign test for one algorithm") {
  const TempFolder folder;
  const std::string a = folder.write("a.json", join_graph());
  const std::string b = folder.write("b.json", wide_graph());
  const Ran ran = run({"compare", a, b, "--algo", "heft", "--format", "markdown"});
  const auto lines = lines_of(ran.out);
  CHECK(lines[2] == "### join on graph file: 3 ops in 3 groups");
  CHECK(lines[4].starts_with("| algorithm | runs | median | quartile 1 |"));
  CHECK(lines[5].starts_with("| --- | ---: |"));
  CHECK(lines[6].starts_with("| heft | 1 (deterministic) | 5.000 s |"));
  CHECK(lines[10] == "* Best on join: heft, with 5.000 s, 0.0 % over the lower bound.");
  CHECK(lines[12] == "### wide on graph file: 30 ops in 30 groups");
  CHECK(ran.out.find("against") == std::string::npos);
}

TEST_CASE("CSV has a line for each graph and algorithm, or with --runs for each run") {
  const TempFolder folder;
  const std::string a = folder.write("a.json", join_graph());
  const std::string b = folder.write("b.json", wide_graph());
  const Words line = {"compare",       a,    b,          "--algo", "random,heft", "--seeds", "3",
                      "--evaluations", "20", "--format", "csv"};
  const auto summaries = lines_of(run(line).out);
  REQUIRE(summaries.size() == 5);
  CHECK(summaries[0].starts_with(
      "graph,devices,single_device_seconds,lower_bound_seconds,algorithm,deterministic,runs,"));
  CHECK(summaries[1].starts_with("join,graph file,8.0,5.0,random,false,3,"));
  CHECK(summaries[4].starts_with("wide,graph file,465.0,233.0,heft,true,1,"));
  Words each = line;
  each.emplace_back("--runs");
  const auto runs = lines_of(run(each).out);
  REQUIRE(runs.size() == 9);
  CHECK(runs[3].starts_with("join,graph file,8.0,5.0,random,3,"));
  CHECK(std::count(runs[0].begin(), runs[0].end(), ',') ==
        std::count(runs[8].begin(), runs[8].end(), ','));
}

TEST_CASE("What never fits is infinitely slow: null in JSON, empty in CSV, exit 2") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", wide_graph("wide", 10));
  const Json compared =
      run_json({"compare", g, "--algo", "random", "--seeds", "2", "--evaluations", "5", "--json"},
               kNothingFits);
  const Json row = row_of(compared, "random");
  CHECK(row["median_seconds"].is_null());
  CHECK(row["gap"].is_null());
  CHECK(row["fits_share"] == 0.0);
  CHECK(compared["graphs"][0]["single_device_seconds"].is_null());
  CHECK(compared["graphs"][0]["runs"][0]["overflow_bytes"] > 0);
  const Ran text = run({"compare", g, "--algo", "random", "--seeds", "2", "--evaluations", "5"});
  CHECK(text.out.find("does not fit") != std::string::npos);
}

TEST_CASE("With -o the table is in the file and nothing is on stdout") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph());
  const Ran ran = run({"compare", g, "--algo", "heft", "--json", "-o", folder.file("t.json")});
  CHECK(ran.code == kDone);
  CHECK(ran.out.empty());
  CHECK(Json::parse(text_of(folder.file("t.json")))["graphs"][0]["graph"] == "join");
}

TEST_CASE("Graphs of one name are told apart by their files") {
  const TempFolder folder;
  const std::string a = folder.write("a.json", join_graph());
  const std::string b = folder.write("b.json", join_graph());
  const Json compared = run_json({"compare", a, b, "--algo", "heft", "--json"});
  CHECK(compared["graphs"][0]["graph"] == a);
  CHECK(compared["graphs"][1]["graph"] == b);
}

TEST_CASE("The floor of merged groups is what auto finds in them, without refinement") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", wide_graph());
  const Json compared = run_json({"compare", g, "--algo", "random:groups=4,random:groups=none",
                                  "--floor", "--seeds", "2", "--evaluations", "60", "--json"});
  const Json& floors = compared["graphs"][0]["floors"];
  REQUIRE(floors.size() == 1);
  CHECK(floors[0]["wanted_groups"] == 4);
  CHECK(floors[0]["step_seconds"] <= row_of(compared, "random:groups=4")["best_sample_seconds"]);
  CHECK(run({"compare", g, "--algo", "random:groups=4", "--floor", "--seeds", "1", "--evaluations",
             "60"})
            .out.find("auto in 4 groups") != std::string::npos);
  const std::string unmerged = run({"compare", g, "--algo", "random:as-published", "--floor",
                                    "--seeds", "1", "--evaluations", "60"})
                                   .out;
  CHECK(unmerged.find("groups none.") != std::string::npos);
  CHECK(unmerged.find("\nNo algorithm merges groups here: the floor is what auto finds.\n") !=
        std::string::npos);
}

TEST_CASE("Compare refuses unknown and repeated algorithms, two formats and a target") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph());
  const auto error_of = [&](Words more) {
    Words line = {"compare", g};
    line.insert(line.end(), more.begin(), more.end());
    const Ran ran = run(line);
    CHECK(ran.code == kBadInput);
    CHECK(ran.out.empty());
    return ran.err;
  };
  CHECK(error_of({"--algo", "heft,pots"}).find("'pots' (did you mean 'post'?)") !=
        std::string::npos);
  CHECK(error_of({"--algo", "heft,"}).find("found ''") != std::string::npos);
  CHECK(error_of({"--algo", "heft,heft"}) ==
        "placer: option --algo: expected each algorithm once, found 'heft' twice\n");
  CHECK(error_of({"--json", "--format", "csv"}) ==
        "placer: options --json and --format: expected one of them, found 'csv' as well\n");
  CHECK(error_of({"--target", "1"}).find("unknown flag --target") != std::string::npos);
  CHECK(error_of({"--seeds", "0"}).find("--seeds") != std::string::npos);
}

TEST_CASE("Ctrl-C prints the runs that are complete, says so and exits 130") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", wide_graph());
  Process process({"compare", g, "--algo", "heft,random", "--time-limit", "600", "--progress",
                   "json", "--json"});
  for (Json line; line.is_null() || line["run"] == "wide heft seed 1 (1/20)" ||
                  line["wall_seconds"] < 0.3;) {  // by then heft has ended
    line = Json::parse(process.read_error_line());
  }
  process.signal(SIGINT);
  const Ran ran = process.finish();
  CHECK(ran.code == kInterrupted);
  CHECK(ran.err.find("placer: interrupted; complete: 1 run\n") != std::string::npos);
  const Json compared = Json::parse(ran.out);
  CHECK(compared["interrupted"] == true);
  REQUIRE(compared["graphs"][0]["algorithms"].size() == 1);
  CHECK(compared["graphs"][0]["algorithms"][0]["algorithm"] == "heft");
}

}  // namespace
}  // namespace placer

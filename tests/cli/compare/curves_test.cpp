#include "cli/compare/curves.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "cli/command_line.hpp"
#include "cli/shared/command.hpp"

namespace placer {
namespace {

constexpr Picoseconds kSecond = 1'000'000'000'000;

struct Found {
  std::int64_t evaluations;
  std::int64_t seconds;
  std::int64_t overflow_bytes = 0;
};

RunRecord run_that_found(const std::vector<Found>& all, std::int64_t evaluations) {
  RunRecord run;
  for (const Found& found : all) {
    run.result.history.push_back(
        {found.evaluations, 0, {found.overflow_bytes, found.seconds * kSecond}});
  }
  run.result.evaluations = evaluations;
  return run;
}

TEST_CASE("the best so far of three runs is their middle after each improvement of any") {
  const RunRecord a = run_that_found({{1, 9}, {4, 5}}, 10), b = run_that_found({{1, 8}}, 10),
                  c = run_that_found({{1, 7}, {6, 1}}, 10);
  const auto points = compared_points({&a, &b, &c}, false);
  REQUIRE(points.size() == 4);
  const auto is = [&](std::size_t i, std::int64_t evaluations, double quartile_1, double median,
                      double quartile_3) {
    CHECK(points[i].evaluations == evaluations);
    CHECK(points[i].quartile_1_seconds == quartile_1);
    CHECK(points[i].median_seconds == median);
    CHECK(points[i].quartile_3_seconds == quartile_3);
    CHECK_FALSE(points[i].mean_seconds);
  };
  is(0, 1, 7.5, 8, 8.5);
  is(1, 4, 6, 7, 7.5);
  is(2, 6, 3, 5, 6.5);
  is(3, 10, 3, 5, 6.5);
}

TEST_CASE("a run that ended early keeps its best, and one that does not fit is infinitely slow") {
  const RunRecord early = run_that_found({{1, 4}}, 2),
                  late = run_that_found({{1, 2, 100}, {8, 6}}, 20);
  const auto points = compared_points({&early, &late}, false);
  REQUIRE(points.size() == 4);
  CHECK(std::isinf(points[0].median_seconds));
  CHECK(std::isinf(points[1].median_seconds));
  CHECK(points[2].median_seconds == 5);
  CHECK(points[3].evaluations == 20);
  CHECK(points[3].median_seconds == 5);
}

TEST_CASE("a learner's means are those of its own windows, not of the refinement after them") {
  RunRecord a = run_that_found({{2, 4}}, 6), b = a;
  a.result.samples = b.result.samples = 4;
  a.result.curve = {
      {2, 0.0, 8.0, std::nullopt}, {4, 0.0, 6.0, std::nullopt}, {6, 0.0, 1.0, std::nullopt}};
  b.result.curve = a.result.curve;
  b.result.curve[0].mean_seconds = 9.0;
  const auto points = compared_points({&a, &b}, true);
  REQUIRE(points.size() == 3);
  CHECK(points[0].mean_seconds == 8.5);
  CHECK(points[1].mean_seconds == 6.0);
  CHECK_FALSE(points[2].mean_seconds);
  CHECK_FALSE(compared_points({&a, &b}, false)[0].mean_seconds);
}

TEST_CASE("no run has no points") { CHECK(compared_points({}, true).empty()); }

TEST_CASE("the picture has a chart for each graph and order, with bound and single device") {
  const TempFolder folder;
  const std::string a = folder.write("a.json", join_graph());
  const std::string b = folder.write("b.json", join_graph());
  const std::string svg = folder.file("c.svg");
  const Ran ran = run({"compare", a, b, "--algo", "post:batch=10,post:batch=20,random", "--seeds",
                       "3", "--evaluations", "120", "--order", "fifo,pct", "-q", "--curve", svg});
  REQUIRE(ran.code == kDone);
  const std::string text = text_of(svg);
  for (const std::string& graph : {a, b}) {
    for (const char* order : {"fifo", "pct"}) {
      CHECK_THAT(text, Catch::Contains(graph + " on graph file, order " + order +
                                       ": median and quartiles of 3 seeds"));
    }
  }
  CHECK_THAT(text, Catch::Contains(">post:batch=10<") && Catch::Contains(">post:batch=20<") &&
                       Catch::Contains(">mean of a learner's samples<"));
  CHECK_THAT(text, Catch::Contains(">lower bound<") && Catch::Contains(">one device (gpu:0)<"));
  CHECK(text.find("nan") == std::string::npos);
  CHECK(text.find("inf") == std::string::npos);
}

TEST_CASE("the table has a line for each point of each algorithm, empty where nothing fits") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph());
  const std::string csv = folder.file("c.csv");
  REQUIRE(run({"compare", g, "--algo", "single-device", "-q", "--curve", csv}).code == kDone);
  CHECK_THAT(text_of(csv),
             Catch::StartsWith("graph,order,algorithm,evaluations,median_step_seconds,"
                               "quartile_1_step_seconds,quartile_3_step_seconds,"
                               "mean_sample_seconds\njoin,fifo,single-device,1,8,8,8,\n"));
}

TEST_CASE("Files of pictures that are neither svg nor csv, or the same, are refused") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph());
  const auto error_of = [&](std::vector<std::string> more) {
    std::vector<std::string> line = {"compare", g, g, "--algo", "heft"};
    line.insert(line.end(), more.begin(), more.end());
    const Ran ran = run(line);
    CHECK(ran.code == kBadInput);
    return ran.err;
  };
  CHECK_THAT(error_of({"--curve", folder.file("c.png")}),
             Catch::Contains("--curve: expected a file that ends in .svg or .csv, found '"));
  CHECK_THAT(error_of({"--cdf", folder.file("c.png")}),
             Catch::Contains("--cdf: expected a file that ends in .svg or .csv, found '"));
  CHECK_THAT(error_of({"--cdf", folder.file("c.svg"), "--curve", folder.file("c.svg")}),
             Catch::Contains("expected another file than"));
  CHECK_THAT(run({"compare", g, "--cdf", folder.file("c.svg")}).err,
             Catch::Contains("--cdf: expected several graphs, found one"));
}

}  // namespace
}  // namespace placer

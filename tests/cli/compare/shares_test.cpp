#include "cli/compare/shares.hpp"

#include <catch2/catch.hpp>

#include "cli/command_line.hpp"
#include "cli/shared/command.hpp"
#include "support/searches.hpp"

namespace placer {
namespace {

constexpr Picoseconds kSecond = 1'000'000'000'000;

/// Two algorithms on two graphs, one seed each, with these step times in seconds; 0 does not fit.
Comparison with_steps(const std::vector<std::vector<std::int64_t>>& seconds) {
  Comparison comparison;
  comparison.algorithms.resize(2);
  comparison.algorithms[0].label = "a";
  comparison.algorithms[1].label = "b";
  for (std::size_t graph = 0; graph < seconds.size(); ++graph) {
    LoadedProblem loaded{
        testing::fast_and_slow(2), "g" + std::to_string(graph), "two", "given", {}};
    comparison.graphs.push_back({std::move(loaded), {}, {std::nullopt}});
    for (std::size_t algorithm = 0; algorithm < 2; ++algorithm) {
      const std::int64_t step = seconds[graph][algorithm];
      RunRecord run{.graph = graph, .algorithm = algorithm};
      run.result.score = {step == 0 ? 1 : 0, step * kSecond};
      comparison.runs.push_back(std::move(run));
    }
  }
  return comparison;
}

TEST_CASE("ratios are over the best algorithm on the graph, from the least up") {
  const auto all = ratios_to_best(with_steps({{6, 2}, {4, 5}}));
  REQUIRE(all.size() == 2);
  REQUIRE(all[0].size() == 2);
  CHECK(all[0][0].ratio == 1);
  CHECK(all[0][0].graph == 1);
  CHECK(all[0][1].ratio == 3);
  CHECK(all[1][0].ratio == 1);
  CHECK(all[1][1].ratio == 1.25);
}

TEST_CASE("the share counts all graphs, also those where an algorithm does not fit") {
  CHECK(shares_text(with_steps({{6, 2}, {4, 0}}), "c.csv") ==
        "algorithm,order,graph,ratio,share\n"
        "a,fifo,g1,1,0.5\n"
        "a,fifo,g0,3,1\n"
        "b,fifo,g0,1,0.5\n");
}

TEST_CASE("the picture names graphs and algorithms, also where all are alike or nothing fits") {
  for (const auto& comparison : {with_steps({{2, 2}, {3, 3}}), with_steps({{0, 0}, {0, 0}})}) {
    const std::string svg = shares_text(comparison, "c.svg");
    CHECK_THAT(svg, Catch::Contains("on 2 graphs") && Catch::Contains(">a<") &&
                        Catch::Contains(">share of the graphs<") && !Catch::Contains("nan"));
  }
}

TEST_CASE("a distribution over two graphs is written where asked") {
  const TempFolder folder;
  const std::string a = folder.write("a.json", join_graph());
  const std::string b = folder.write("b.json", join_graph());
  const std::string csv = folder.file("c.csv");
  REQUIRE(run({"compare", a, b, "--algo", "heft,single-device", "-q", "--cdf", csv}).code == kDone);
  // 5 s and 8 s, as in the text's test
  CHECK_THAT(text_of(csv), Catch::Contains("heft,fifo," + a + ",1,0.5\n") &&
                               Catch::Contains("single-device,fifo," + b + ",1.6,1\n"));
}

}  // namespace
}  // namespace placer

#include "cli/report/chart.hpp"

#include <catch2/catch.hpp>

#include "cli/report/pages.hpp"

namespace placer {
namespace {

// The plot of a chart without legend, levels and small numbers lies from (78, 36) to (836, 418).
TEST_CASE("a line goes from the lower left corner, a margin above it, to the right edge") {
  const Chart chart{.most_x = 2, .lines = {{{}, {{0, 0}, {2, 10}}}}};
  // 10 and a margin of 0.5 are 382 high: 10 lies 18.2 below the edge.
  CHECK_THAT(charts_svg({chart}, {}), Catch::Contains("d=\"M78.0 418.0L836.0 54.2\""));
}

TEST_CASE("on a logarithmic axis ten lies half way from one to a hundred") {
  const Chart chart{
      .least_x = 1, .most_x = 100, .log_x = true, .lines = {{{}, {{1, 0}, {10, 0}, {100, 10}}}}};
  const std::string svg = charts_svg({chart}, {});
  CHECK_THAT(svg, Catch::Contains("d=\"M78.0 418.0L457.0 418.0L836.0 54.2\""));
  for (const char* tick : {">1<", ">2<", ">5<", ">10<", ">20<", ">50<", ">100<"}) {
    CHECK_THAT(svg, Catch::Contains(tick));
  }
}

TEST_CASE("values below 0 have their place, and the number at 0 no sign") {
  const Chart chart{.most_x = 2, .lines = {{{}, {{0, -10}, {2, 10}}}}};
  // 20 and margins of 1 are 382 high.
  const std::string svg = charts_svg({chart}, {});
  CHECK_THAT(svg, Catch::Contains("d=\"M78.0 400.6L836.0 53.4\"") && Catch::Contains(">-10<") &&
                      Catch::Contains(">0<") && !Catch::Contains(">-0<"));
}

TEST_CASE("on a logarithmic y axis equal ratios are equally far apart") {
  const Chart chart{.most_x = 2, .log_y = true, .lines = {{{}, {{0, 1}, {1, 10}, {2, 100}}}}};
  const std::string svg = charts_svg({chart}, {});
  CHECK_THAT(svg, Catch::Contains("L457.0 227.0L"));
}

TEST_CASE("charts of their own height follow each other") {
  const Chart chart{.height = 200, .lines = {{{}, {{0, 0}, {1, 10}}}}};
  const std::string svg = charts_svg({chart, chart}, {});
  CHECK_THAT(svg, Catch::Contains("height=\"400\"") && Catch::Contains("translate(0 200)"));
}

TEST_CASE("over six decades only powers of ten are named") {
  const Chart chart{
      .least_x = 1, .most_x = 1e6, .log_x = true, .lines = {{{}, {{1, 1}, {1e6, 3}}}}};
  const std::string svg = charts_svg({chart}, {});
  CHECK_THAT(svg, Catch::Contains(">1000<") && !Catch::Contains(">2000<"));
}

TEST_CASE("an axis that ends before a line does cuts it") {
  const Chart chart{.most_x = 2, .most_y = 10, .lines = {{{}, {{0, 100}, {1, 0}, {2, 10}}}}};
  // 90 above the 10 at 54.2, each 36.381 high
  CHECK_THAT(charts_svg({chart}, {}), Catch::Contains("d=\"M78.0 -3220.1L"));
}

TEST_CASE("levels that lie close are named below each other, and the axis holds them") {
  const Chart chart{.lines = {{{}, {{0, 5}, {1, 6}}}},
                    .levels = {{0, "low"}, {10, "a<b"}, {10, "c"}}};
  const std::string svg = charts_svg({chart}, {});
  CHECK_THAT(svg, Catch::Contains("y=\"422.0\" font-size=\"11\" fill=\"#444\">low<"));
  CHECK_THAT(svg, Catch::Contains("y=\"58.2\" font-size=\"11\" fill=\"#444\">a&lt;b<"));
  CHECK_THAT(svg, Catch::Contains("y=\"45.2\" font-size=\"11\" fill=\"#444\">c<"));
}

TEST_CASE("a band is filled between its two lines") {
  const Chart chart{.bands = {{0, {{0, 0}, {1, 0}}, {{0, 10}, {1, 10}}}},
                    .lines = {{{}, {{0, 0}, {1, 10}}}}};
  CHECK_THAT(
      charts_svg({chart}, {}),
      Catch::Contains("d=\"M78.0 418.0L836.0 418.0L836.0 54.2L78.0 54.2Z\" fill=\"#0072b2\""));
}

TEST_CASE("a legend that is too long for a row goes on in the next, and the first plot is lower") {
  const Chart chart{.lines = {{{}, {{0, 0}, {1, 10}}}}};
  std::vector<LegendEntry> legend;
  for (std::size_t i = 0; i < 9; ++i) legend.push_back({"twelve signs", pen_of(i)});
  const std::string svg = charts_svg({chart, chart}, legend);
  CHECK_THAT(svg, Catch::Contains("M78.0 40h24") && Catch::Contains("M78.0 60h24"));
  CHECK_THAT(svg, Catch::Contains("M78.0 76.0V418.0H836.0") &&
                      Catch::Contains("M78.0 36.0V418.0H836.0") &&
                      Catch::Contains("viewBox=\"0 0 860 960\""));
  CHECK(count_of(svg, "twelve signs") == 9);
}

TEST_CASE("the ninth line has the first one's colour and is dotted") {
  CHECK(pen_of(8).colour == pen_of(0).colour);
  CHECK(pen_of(7).stroke == Stroke::kSolid);
  CHECK(pen_of(8).stroke == Stroke::kDotted);
}

TEST_CASE("stairs keep each value until the next") {
  const std::vector<Spot> steps = stairs({{1, 9}, {4, 5}});
  REQUIRE(steps.size() == 3);
  CHECK(steps[1].x == 4);
  CHECK(steps[1].y == 9);
  CHECK(steps[2].y == 5);
}

TEST_CASE("a unit is the largest that leaves a number of one or more") {
  CHECK(chart_unit(2).name == "s");
  CHECK(chart_unit(0.999).name == "ms");
  CHECK(chart_unit(1e-6).name == "µs");
  CHECK(chart_unit(1e-7).name == "ns");
}

}  // namespace
}  // namespace placer

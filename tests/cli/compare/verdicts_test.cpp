#include "cli/compare/verdicts.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "cli/command_line.hpp"
#include "cli/shared/command.hpp"

namespace placer {
namespace {

/// Two algorithms on one graph: "post" with a median of 2 s and "other" with these.
std::string verdict(double median_seconds, SignTest test) {
  Comparison comparison;
  comparison.algorithms = {{.label = "post"}, {.label = "other"}};
  AlgorithmSummary post{.algorithm = "post", .name = "post", .runs = 9, .median_seconds = 2};
  AlgorithmSummary other{.algorithm = "other", .name = "other", .runs = 9};
  other.median_seconds = median_seconds;
  other.against_first = test;
  return verdict_text(other, GraphSummary{nullptr, {post, other}}, comparison);
}

TEST_CASE("Nine wins of nine are a difference, by the share of the medians") {
  CHECK(verdict(1.6, sign_test(9, 0, 0)) == "other is 25 % faster than post (p = 0.0039)");
  CHECK(verdict(2.06, sign_test(0, 9, 0)) == "other is 3 % slower than post (p = 0.0039)");
}

TEST_CASE("A difference that seeds do not agree on may be chance") {
  CHECK(verdict(2.06, sign_test(4, 5, 0)) ==
        "other is 3 % slower than post, which may be chance (p = 1)");
  CHECK(verdict(2.06, sign_test(0, 5, 0)) ==
        "other is 3 % slower than post from all 5 seeds, too few to rule out chance (p = 0.062)");
  CHECK(verdict(2, sign_test(0, 0, 9)) == "other and post are equally fast from every seed");
}

TEST_CASE("What does not fit is said to, whatever the medians") {
  CHECK(verdict(INFINITY, sign_test(0, 9, 0)) == "other does not fit, which post does");
}

std::string without_breaks(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

TEST_CASE("Text, Markdown, JSON and LaTeX name the best, the verdict and the ratio to the best") {
  const TempFolder folder;
  const std::string graph = folder.write("g.json", join_graph());
  const Line line = {"compare", graph,           "--algo", "heft,single-device", "--seeds", "1",
                     "-q",      "--evaluations", "20"};
  const std::string text = run(line).out;
  CHECK(text.find("Best on join: heft, with 5.000 s, 0.0 % over the lower bound.") !=
        std::string::npos);
  CHECK(without_breaks(text).find("single-device is 60 % slower than heft from 1 seed, too few to "
                                  "rule out chance (p = 1).") != std::string::npos);
  CHECK(run(joined(line, {"--format", "markdown"})).out.find("* Best on join: heft") !=
        std::string::npos);
  const auto told = run_json(joined(line, {"--json"}));
  CHECK(told["graphs"][0]["algorithms"][1]["ratio_to_best"] == 1.6);
  CHECK(told["graphs"][0]["algorithms"][0]["verdict"].is_null());
  const std::string latex = run(joined(line, {"--format", "latex"})).out;
  CHECK(latex.find("\\begin{tabular}{lrrrrrrr}\n") != std::string::npos);
  CHECK(latex.find("heft & 1 & 5.000 s & 5.000 s to 5.000 s & 5.000 s & 0.0 \\% & 1.000 & ") !=
        std::string::npos);
}

}  // namespace
}  // namespace placer

#include "cli/compare/verdicts.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "cli/command_line.hpp"
#include "cli/shared/command.hpp"

namespace placer {
namespace {

/// Two algorithms on one graph: "post" with a median of 2 s and "other" with these.
std::string verdict(double median_seconds, SignTest test, double own_best_seconds = 0,
                    SignTest own_best = {}) {
  Comparison comparison;
  comparison.algorithms = {{.label = "post"}, {.label = "other"}};
  AlgorithmSummary post{.algorithm = "post", .name = "post", .runs = 9, .median_seconds = 2};
  AlgorithmSummary other{.algorithm = "other", .name = "other", .runs = 9};
  other.median_seconds = median_seconds;
  other.against_first = test;
  post.best_sample_seconds = own_best_seconds > 0 ? 4 : 2;
  other.best_sample_seconds = own_best_seconds > 0 ? own_best_seconds : median_seconds;
  other.own_best_against_first = own_best;
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

TEST_CASE("Seeds that tie or that say otherwise than the medians are named") {
  CHECK(verdict(2.06, sign_test(0, 2, 8)) ==
        "other is 3 % slower than post from 2 of 10 seeds, equally fast from the rest, too few to "
        "rule out chance (p = 0.5)");
  CHECK(verdict(2.06, sign_test(0, 2, 0)) ==
        "other is 3 % slower than post from both seeds, too few to rule out chance (p = 0.5)");
  CHECK(
      verdict(2, sign_test(0, 1, 2)) ==
      "other is as fast as post, though slower from 1 of 3 seeds, too few to rule out chance (p = "
      "1)");
  CHECK(verdict(2.06, sign_test(6, 4, 0)) ==
        "other is 3 % slower than post, though faster from 6 of 10 seeds, which may be chance (p = "
        "0.75)");
  CHECK(verdict(2, sign_test(1, 9, 0)) ==
        "other is as fast as post, though slower from 9 of 10 seeds (p = 0.021)");
}

TEST_CASE("Own bests are tested by themselves where the results come from more than samples") {
  CHECK(verdict(2, sign_test(0, 0, 9), 5, sign_test(0, 9, 0)) ==
        "other and post are equally fast from every seed; its own best is 25 % slower than post's "
        "(p = 0.0039)");
  CHECK(verdict(2, sign_test(0, 0, 9), INFINITY, sign_test(0, 9, 0)) ==
        "other and post are equally fast from every seed; of its own samples none fits");
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

/// Six ops in a row, each on a GPU done in a thirtieth of the time that its tensor takes to send.
std::string slow_chain() {
  nlohmann::json graph = {{"format", "placer-graph"}, {"version", 1}, {"name", "chain"}};
  for (int i = 0; i < 6; ++i) {
    graph["ops"].push_back(
        {{"name", std::to_string(i)}, {"type", "x"}, {"seconds", {{"gpu", 0.01}, {"cpu", 0.09}}}});
    if (i == 0) continue;
    graph["edges"].push_back(
        {{"from", std::to_string(i - 1)}, {"to", std::to_string(i)}, {"bytes", 3'000'000'000}});
  }
  return graph.dump();
}

TEST_CASE("Text and JSON name the device that a learner's samples end on") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", slow_chain());
  const Line line = {
      "compare", g,   "--devices",     "2gpu", "--algo", "cross-entropy:as-published,random",
      "--seeds", "1", "--evaluations", "1200"};
  const auto compared = run_json(joined(line, {"--json"}));
  const auto& learnt = compared["graphs"][0]["runs"][0];
  REQUIRE(learnt["collapsed_to"].is_string());
  CHECK(compared["graphs"][0]["runs"][1]["collapsed_to"].is_null());
  CHECK(run(line).out.find("\ncross-entropy:as-published collapsed to " +
                           learnt["collapsed_to"].get<std::string>() + " in 1 of 1 runs\n") !=
        std::string::npos);
}

}  // namespace
}  // namespace placer

// Algorithms with options of their own in one comparison.
#include <catch2/catch.hpp>

#include "cli/command_line.hpp"
#include "cli/compare/runs.hpp"
#include "placer/io/policy_file.hpp"
#include "support/policies.hpp"

namespace placer {
namespace {

TEST_CASE("Two columns of one algorithm with different options") {
  const auto parsed = parse_algorithms("post, Post:batch=24:round=48,ppo:learning-rate=1e-1");
  REQUIRE(parsed.size() == 3);
  CHECK(parsed[0].label == "post");
  CHECK(parsed[0].options.empty());
  CHECK(parsed[1].label == "post:batch=24:round=48");
  CHECK(parsed[1].options ==
        OptionValues{{"batch", std::int64_t{24}}, {"round", std::int64_t{48}}});
  CHECK(parsed[2].optimizer->name == "ppo");
  CHECK(parsed[2].options == OptionValues{{"learning-rate", 0.1}});
}

TEST_CASE("As published, groups and single additions of one column") {
  const auto parsed = parse_algorithms("post:as-published,post:groups=24:no-refinement");
  REQUIRE(parsed[0].additions);
  CHECK_FALSE(parsed[0].additions->tuning);
  CHECK_FALSE(parsed[0].additions->single_devices);
  CHECK(parsed[0].grouping->kind == Grouping::Kind::kNone);
  CHECK(parsed[1].grouping->count == 24);
  CHECK_FALSE(parsed[1].additions->refinement);
  CHECK(parsed[1].additions->single_devices);
}

TEST_CASE("A column with a budget of its own leaves the others theirs") {
  Comparison comparison;
  comparison.algorithms = parse_algorithms("random:evaluations=5,post");
  comparison.request.budget.evaluations = 70;
  CHECK(request_of(comparison, 0).budget.evaluations == 5);
  CHECK(request_of(comparison, 1).budget.evaluations == 70);
  CHECK_THROWS_WITH(
      parse_algorithms("post:evaluations=0"),
      Catch::Contains("option --algo: post: evaluations: expected an integer from 1"));
}

TEST_CASE("A column with a learnt policy places with it; one of another learner is refused") {
  const TempFolder folder;
  const std::string file = folder.write("policy.json", write_policy(testing::small_policy("gdp")));
  Comparison comparison;
  comparison.algorithms = parse_algorithms("gdp:policy-in=" + file + ",gdp");
  REQUIRE(request_of(comparison, 0).policy_in != nullptr);
  CHECK(request_of(comparison, 0).policy_in->algorithm == "gdp");
  CHECK(request_of(comparison, 1).policy_in == nullptr);
  CHECK_THROWS_WITH(parse_algorithms("placeto:policy-in=" + file),
                    "option --algo: placeto: policy-in: " + file +
                        ": expected a policy of placeto, found one of gdp");
  CHECK_THROWS_WITH(parse_algorithms("gdp:policy-in=no-such-file"),
                    Catch::Contains("no-such-file"));
}

TEST_CASE("Wrong options of a column name the algorithm, what was expected and what was found") {
  CHECK_THROWS_WITH(
      parse_algorithms("post:bacht=2"),
      Catch::Contains(
          "option --algo: post: expected one of groups, evaluations, policy-in, preset, batch") &&
          Catch::Contains("found 'bacht' (did you mean 'batch'?)"));
  CHECK_THROWS_WITH(parse_algorithms("post:fast"),
                    Catch::Contains("expected NAME=VALUE") && Catch::Contains("found 'fast'"));
  CHECK_THROWS_WITH(parse_algorithms("post:batch=x"),
                    "option --algo: post: batch: expected an integer from 2 to 100000, found x");
  CHECK_THROWS_WITH(
      parse_algorithms("hill-climb,ppo:groups=few"),
      "option --algo: ppo: groups: expected auto, none or an integer from 1, found 'few'");
  CHECK_THROWS_WITH(parse_algorithms("ppo:groups=layer"), Catch::Contains("found 'layer'"));
  CHECK_THROWS_WITH(parse_algorithms("post:batch=24,post:batch=24"),
                    Catch::Contains("found 'post:batch=24' twice"));
}

}  // namespace
}  // namespace placer

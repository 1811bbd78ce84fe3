// Types of ops that networks tell apart.
#include "search/learned/op_types.hpp"

#include <catch2/catch.hpp>

#include "search/learned/network_policy.hpp"
#include "support/problems.hpp"
#include "support/searches.hpp"

namespace placer::testing {
namespace {

Problem typed(const std::vector<std::string>& types) {
  std::vector<Op> ops;
  for (const std::string& type : types) {
    ops.push_back(timed_op("op" + std::to_string(ops.size()), 1));
    ops.back().type = type;
  }
  return Problem(graph_of(ops, {}), alike());
}

TEST_CASE("each type of several graphs has a row of its own, a type of none the reserved one") {
  const std::vector<Problem> problems = {typed({"conv2d", "avg_pool"}), typed({"batch_norm"})};
  const OpTypes types(problems);
  CHECK(types.rows() == 4);
  CHECK(types.row("avg_pool") == 1);
  CHECK(types.row("batch_norm") == 2);
  CHECK(types.row("conv2d") == 3);
  CHECK(types.row("lstm") == 0);
  nn::Parameters parameters;
  Rng rng(1);
  const nn::Parameter& rows = types.add_rows(parameters, "x", 2, 0.5, rng);
  CHECK(rows.value.rows() == 4);
  CHECK(rows.value.row(0).isZero());
  CHECK_FALSE(rows.value.row(1).isZero());
}

TEST_CASE("a policy of other types is taken row by row, and keeps the types that only it knows") {
  const Problem own = typed({"a", "c"});
  OpTypes types(std::span(&own, 1));
  nn::Parameters parameters;
  Rng rng(1);
  types.add_rows(parameters, "x", 1, 0.5, rng);
  Policy policy;
  policy.types = {"b", "c"};
  policy.weights = {{"types/x", 3, 1, {7, 8, 9}}, {"other", 1, 2, {1, 2}}};
  const Policy adopted = types.adopt(policy, parameters);
  // The reserved row, a as the reserved row, c, and b after them.
  CHECK(adopted.weights[0] == NamedMatrix{"types/x", 4, 1, {7, 7, 9, 8}});
  CHECK(adopted.weights[1] == policy.weights[1]);
  CHECK(parameters.all()[0].value.rows() == 4);
  Policy saved;
  types.save(saved);
  CHECK(saved.types == std::vector<std::string>{"a", "c", "b"});
}

TEST_CASE("a policy whose rows are not as many as its types is refused") {
  const Problem own = typed({"a"});
  OpTypes types(std::span(&own, 1));
  nn::Parameters parameters;
  Policy policy;
  policy.types = {"a"};
  policy.weights = {{"types/x", 3, 1, {7, 8, 9}}};
  CHECK_THROWS_WITH(types.adopt(policy, parameters),
                    "policy: weights 'types/x': expected 2 x 1, found 3 x 1");
}

TEST_CASE("learners that transfer start on a graph of unknown types, and learn them on top") {
  const Problem first = typed({"a", "b"}), second = typed({"b", "c"});
  for (const char* name : {"gdp", "hierarchical"}) {
    INFO(name);
    const SearchResult learnt = run_search(first, request_for(name, 60));
    REQUIRE(learnt.policy);
    CHECK(learnt.policy->types == std::vector<std::string>{"a", "b"});
    SearchRequest request = request_for(name, 60);
    request.policy_in = &*learnt.policy;
    const SearchResult again = run_search(second, request);
    CHECK(again.policy->types == std::vector<std::string>{"b", "c", "a"});
  }
}

}  // namespace
}  // namespace placer::testing

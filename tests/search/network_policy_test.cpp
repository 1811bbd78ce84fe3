#include "search/network_policy.hpp"

#include <catch2/catch.hpp>

#include "placer/base/errors.hpp"
#include "placer/base/rng.hpp"

namespace placer::testing {
namespace {

void add_two(nn::Parameters& parameters, std::uint64_t seed) {
  Rng rng(seed);
  parameters.glorot("a", 2, 3, rng);
  parameters.uniform("b", 1, 2, 0.5, rng);
}

void step(nn::Parameters& parameters, nn::Adam& adam) {
  for (nn::Parameter& parameter : parameters.all()) parameter.gradient.setConstant(0.3);
  adam.step(parameters);
}

bool same_values(const nn::Parameters& first, const nn::Parameters& second) {
  for (std::size_t i = 0; i < first.all().size(); ++i) {
    if (first.all()[i].value != second.all()[i].value) return false;
  }
  return true;
}

TEST_CASE("a network put back, with Adam's moments, continues as if never taken out") {
  nn::Parameters first, second;
  add_two(first, 1);
  add_two(second, 2);
  nn::Adam adam, same;
  step(first, adam);
  Policy policy;
  save_network("net/", first, adam, policy);
  load_network("net/", policy, second, same);
  CHECK(same.steps == 1);
  CHECK(same_values(first, second));
  step(first, adam);
  step(second, same);
  CHECK(same_values(first, second));
}

TEST_CASE("a network without state begins with the weights and new moments") {
  nn::Parameters first, second;
  add_two(first, 1);
  add_two(second, 2);
  nn::Adam adam, other;
  step(first, adam);
  Policy policy;
  save_network("", first, adam, policy);
  policy.state.clear();
  load_network("", policy, second, other);
  CHECK(same_values(first, second));
  CHECK(other.steps == 0);
  CHECK(second.all()[0].first_moment.isZero());
}

TEST_CASE("a network's weights of another shape, or missing, are refused by name") {
  nn::Parameters parameters;
  add_two(parameters, 1);
  nn::Adam adam;
  Policy policy;
  save_network("", parameters, adam, policy);
  policy.weights[0].rows = 3;
  CHECK_THROWS_WITH(load_network("", policy, parameters, adam),
                    "policy: weights 'a': expected 2 x 3, found 3 x 3");
  policy.weights.erase(policy.weights.begin());
  CHECK_THROWS_WITH(load_network("", policy, parameters, adam),
                    "policy: weights 'a': expected 2 x 3, found none");
}

}  // namespace
}  // namespace placer::testing

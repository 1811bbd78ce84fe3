#include "search/learned/network_policy.hpp"

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

/// After one step, and what is kept of it.
struct Trained {
  explicit Trained(const std::string& prefix) {
    add_two(parameters, 1);
    step(parameters, adam);
    save_network(prefix, parameters, adam, policy);
  }
  nn::Parameters parameters;
  nn::Adam adam;
  Policy policy;
};

TEST_CASE("a network put back, with Adam's moments, continues as if never taken out") {
  Trained first("net/");
  nn::Parameters second;
  add_two(second, 2);
  nn::Adam same;
  load_network("net/", first.policy, second, same);
  CHECK(same.steps == 1);
  CHECK(same_values(first.parameters, second));
  step(first.parameters, first.adam);
  step(second, same);
  CHECK(same_values(first.parameters, second));
}

TEST_CASE("a network without state begins with the weights and new moments") {
  Trained first("");
  nn::Parameters second;
  add_two(second, 2);
  nn::Adam other;
  first.policy.state.clear();
  load_network("", first.policy, second, other);
  CHECK(same_values(first.parameters, second));
  CHECK(other.steps == 0);
  CHECK(second.all()[0].first_moment.isZero());
}

TEST_CASE("a network's weights of another shape, or missing, are refused by name") {
  Trained net("");
  net.policy.weights[0].rows = 3;
  CHECK_THROWS_WITH(load_network("", net.policy, net.parameters, net.adam),
                    "policy: weights 'a': expected 2 x 3, found 3 x 3");
  net.policy.weights.erase(net.policy.weights.begin());
  CHECK_THROWS_WITH(load_network("", net.policy, net.parameters, net.adam),
                    "policy: weights 'a': expected 2 x 3, found none");
}

}  // namespace
}  // namespace placer::testing

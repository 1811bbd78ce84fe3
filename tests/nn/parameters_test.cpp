#include "nn/parameters.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "nn/gradients.hpp"

namespace placer::testing {
namespace {

TEST_CASE("Adam's first step is its learning rate, against the sign of the gradient", "[nn]") {
  nn::Parameters parameters;
  nn::Parameter& x = parameters.zeros("x", 1, 2);
  x.gradient << 5, -0.01;
  nn::Adam adam{.learning_rate = 0.1};
  adam.step(parameters);
  CHECK(x.value(0, 0) == Approx(-0.1));
  CHECK(x.value(0, 1) == Approx(0.1));
  CHECK(adam.steps == 1);
}

TEST_CASE("Adam finds the minimum of a quadratic with curvatures 1 and 100", "[nn]") {
  nn::Parameters parameters;
  nn::Parameter& x = parameters.constants("x", 1, 2, 3);
  Matrix curvature(1, 2), minimum(1, 2);
  curvature << 1, 100;
  minimum << 2, -1;
  nn::Adam adam{.learning_rate = 0.05};
  Tape tape;
  for (int i = 0; i < 1000; ++i) {
    tape.clear();
    parameters.clear_gradients();
    const Var off = add(tape.parameter(x), tape.constant(-minimum));
    tape.backward(sum(multiply(multiply(off, off), tape.constant(curvature))));
    adam.step(parameters);
  }
  CHECK(x.value(0, 0) == Approx(2).margin(1e-3));
  CHECK(x.value(0, 1) == Approx(-1).margin(1e-3));
}

TEST_CASE("gradients 3 and 4 of two parameters are clipped together from norm 5 to 1", "[nn]") {
  nn::Parameters parameters;
  nn::Parameter &a = parameters.zeros("a", 1, 1), &b = parameters.zeros("b", 1, 1);
  a.gradient(0, 0) = 3;
  b.gradient(0, 0) = -4;
  CHECK(parameters.clip_gradients(10) == 5);
  CHECK(a.gradient(0, 0) == 3);
  CHECK(parameters.clip_gradients(1) == 5);
  CHECK(a.gradient(0, 0) == Approx(0.6));
  CHECK(b.gradient(0, 0) == Approx(-0.8));
}

nn::Parameters& two_parameters(nn::Parameters& parameters, std::uint64_t seed) {
  Rng rng(seed);
  parameters.glorot("a", 2, 3, rng);
  parameters.uniform("b", 1, 2, 0.5, rng);
  return parameters;
}

TEST_CASE("Glorot's weights stay within the square root of 6 over 5 and differ", "[nn]") {
  nn::Parameters parameters;
  two_parameters(parameters, 1);
  const Matrix& a = parameters.all().front().value;
  CHECK(a.cwiseAbs().maxCoeff() <= std::sqrt(6.0 / 5.0));
  CHECK(a(0, 0) != a(0, 1));
}

}  // namespace
}  // namespace placer::testing

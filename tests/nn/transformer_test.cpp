#include "nn/transformer.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "nn/gradients.hpp"

namespace placer::testing {
namespace {

TEST_CASE("distances -2 to 2 are encoded as sines and cosines of themselves and a 100th", "[nn]") {
  const Matrix encodings = nn::distance_encodings(-2, 5, 4);
  for (Index i = 0; i < 5; ++i) {
    const double distance = static_cast<double>(i - 2);
    CHECK(encodings(i, 0) == Approx(std::sin(distance)).margin(1e-15));
    CHECK(encodings(i, 1) == Approx(std::sin(distance / 100)).margin(1e-15));
    CHECK(encodings(i, 2) == Approx(std::cos(distance)).margin(1e-15));
    CHECK(encodings(i, 3) == Approx(std::cos(distance / 100)).margin(1e-15));
  }
  CHECK(nn::distance_encodings(1000, 1, 2)(0, 0) == Approx(std::sin(1000.0)).margin(1e-12));
}

TEST_CASE("the gradient of a transformer layer is that of finite differences", "[nn]") {
  Rng rng(5);
  nn::Parameters parameters;
  const nn::TransformerLayer layer(parameters, "layer", 4, 2, 6, rng);
  const Matrix memory = random_matrix(2, 4, 1), segment = random_matrix(3, 4, 2);
  for (nn::Parameter& parameter : parameters.all()) {
    parameter.value += 0.1 * random_matrix(parameter.value.rows(), parameter.value.cols(), 7);
  }
  CHECK(gradient_error(parameters, [&](Tape& tape) {
          return layer(tape.constant(segment), tape.constant(memory));
        }) < 1e-6);
  CHECK(gradient_error(parameters, [&](Tape& tape) {
          return layer(tape.constant(segment), std::nullopt);
        }) < 1e-6);
}

TEST_CASE("no gradient flows from a segment into the memory of the one before", "[nn]") {
  Rng rng(5);
  nn::Parameters parameters;
  const nn::MultiHeadAttention attention(parameters, "attention", 4, 2, rng);
  Tape tape;
  const Var memory = tape.variable(random_matrix(2, 4, 1));
  const Var segment = tape.variable(random_matrix(3, 4, 2));
  tape.backward(sum(attention(segment, memory)));
  CHECK(memory.gradient().cwiseAbs().maxCoeff() == 0);
  CHECK(segment.gradient().cwiseAbs().maxCoeff() > 0);
}

TEST_CASE("one segment with its beginning as memory attends as at the end of both", "[nn]") {
  Rng rng(5);
  nn::Parameters parameters;
  const nn::MultiHeadAttention attention(parameters, "attention", 4, 2, rng);
  const Matrix both = random_matrix(6, 4, 1);
  Tape tape;
  const Matrix whole = attention(tape.constant(both), std::nullopt).value().bottomRows(2);
  const Matrix last =
      attention(tape.constant(both.bottomRows(2)), tape.constant(both.topRows(4))).value();
  CHECK((whole - last).cwiseAbs().maxCoeff() < 1e-14);
}

}  // namespace
}  // namespace placer::testing

#include "search/learned/clipped_surrogate.hpp"

#include <catch2/catch.hpp>
#include <cmath>

namespace placer {
namespace {

nn::Matrix log_row(double first, double second) {
  nn::Matrix matrix(1, 2);
  matrix << std::log(first), std::log(second);
  return matrix;
}

nn::ConstView view(const nn::Matrix& matrix) {
  return {matrix.data(), matrix.rows(), matrix.cols()};
}

TEST_CASE("a ratio pulls until it has left 1 by the clip in its advantage's direction") {
  // Drawn with 0.5 and 0.5; sample 0 chose the first (A 1), sample 1 the second (A -1). At 0.55 and
  // 0.45 the ratios are 1.1 and 0.9: within 0.2, mean (1.1 - 0.9) / 2. At 0.75 and 0.25 they are
  // 1.5 and 0.5: clipped, (1.2 - 0.8) / 2, and nothing pulls.
  const std::vector<std::vector<nn::Index>> choices = {{0}, {1}};
  const std::vector<double> advantage = {1, -1};
  const nn::Matrix drawn = log_row(0.5, 0.5), near = log_row(0.55, 0.45), far = log_row(0.75, 0.25);
  const ClippedSurrogate surrogate(choices, advantage, 0.2, view(drawn));
  CHECK(surrogate.value(view(near)) == Approx(0.1));
  CHECK(surrogate.gradient(view(near))(0, 0) == Approx(0.55));
  CHECK(surrogate.gradient(view(near))(0, 1) == Approx(-0.45));
  CHECK(surrogate.value(view(far)) == Approx(0.2));
  CHECK(surrogate.gradient(view(far)).isZero());
}

}  // namespace
}  // namespace placer

#include "cli/compare/statistics.hpp"

#include <catch2/catch.hpp>
#include <limits>

namespace placer {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST_CASE("Quartiles of 1, 2, 4, 8 lie a quarter and three quarters along: 1.75, 3, 5") {
  const std::vector<double> values = {8, 1, 4, 2};
  CHECK(quantile(values, 0.25) == 1.75);  // 0.75 of the way from 1 to 2
  CHECK(median(values) == 3);
  CHECK(quantile(values, 0.75) == 5);  // 0.25 of the way from 4 to 8
  CHECK(quantile(values, 0) == 1);
  CHECK(quantile(values, 1) == 8);
}

TEST_CASE("Quartiles of five values are values themselves, those of one value are that value") {
  CHECK(quantile({50, 10, 40, 20, 30}, 0.25) == 20);
  CHECK(median({50, 10, 40, 20, 30}) == 30);
  CHECK(quantile({7}, 0.75) == 7);
}

TEST_CASE("An infinite value moves a quantile only when it takes part in it") {
  const std::vector<double> values = {kInfinity, 1, 2};
  CHECK(median(values) == 2);
  CHECK(quantile(values, 0.25) == 1.5);
  CHECK(quantile(values, 0.75) == kInfinity);
  CHECK(median({kInfinity, kInfinity}) == kInfinity);
}

TEST_CASE("Ten wins of ten have p = 2/1024, nine 22/1024, five against five 1") {
  CHECK(sign_test(10, 0, 0).p_value == Approx(2.0 / 1024).epsilon(1e-12));
  CHECK(sign_test(0, 10, 0).p_value == Approx(2.0 / 1024).epsilon(1e-12));
  CHECK(sign_test(9, 1, 0).p_value == Approx(22.0 / 1024).epsilon(1e-12));
  CHECK(sign_test(5, 5, 0).p_value == 1);
}

TEST_CASE("Ties do not count: 3 wins of 3 have p = 1/4 beside any number of them") {
  CHECK(sign_test(3, 0, 0).p_value == Approx(0.25).epsilon(1e-12));
  CHECK(sign_test(3, 0, 97).p_value == Approx(0.25).epsilon(1e-12));
  CHECK(sign_test(0, 0, 4).p_value == 1);
}

TEST_CASE("The sign test of 2,000 even pairs is 1 and of 2,000 wins 0, not a number out of range") {
  CHECK(sign_test(1000, 1000, 0).p_value == 1);
  CHECK(sign_test(2000, 0, 0).p_value == 0);
  // Normal approximation with continuity correction: z = 59.5 / sqrt(500) = 2.661, p = 0.0078.
  CHECK(sign_test(1060, 940, 0).p_value == Approx(0.0078).epsilon(0.01));
}

}  // namespace
}  // namespace placer

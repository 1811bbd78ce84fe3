#include "placer/base/real.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "placer/base/rng.hpp"

namespace placer {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The difference in units in the last place of `expected`.
double ulps(double found, long double expected) {
  const double rounded = static_cast<double>(expected);
  const double unit = std::nextafter(std::abs(rounded), kInfinity) - std::abs(rounded);
  return static_cast<double>(std::abs(static_cast<long double>(found) - expected) / unit);
}

TEST_CASE("exp is within 2 units in the last place of the long double function", "[base]") {
  Rng rng(1);
  double worst = 0;
  for (int i = 0; i < 100'000; ++i) {
    const double scale = i % 2 == 0 ? 700 : 1;
    const double x = (2 * rng.uniform() - 1) * scale;
    worst = std::max(worst, ulps(portable_exp(x), std::exp(static_cast<long double>(x))));
  }
  CHECK(worst < 2);
}

TEST_CASE("log is within 2 units in the last place of the long double function", "[base]") {
  Rng rng(2);
  double worst = 0;
  for (int i = 0; i < 100'000; ++i) {
    const double x = i % 2 == 0 ? std::exp((2 * rng.uniform() - 1) * 700) : 0.5 + rng.uniform();
    worst = std::max(worst, ulps(portable_log(x), std::log(static_cast<long double>(x))));
  }
  CHECK(worst < 2);
}

TEST_CASE("exp and log have exact values at 0 and 1, and limits at the ends", "[base]") {
  CHECK(portable_exp(0) == 1);
  CHECK(portable_log(1) == 0);
  CHECK(portable_log(0) == -kInfinity);
  CHECK(portable_log(kInfinity) == kInfinity);
  CHECK(std::isnan(portable_log(-1)));
  CHECK(portable_exp(kInfinity) == kInfinity);
  CHECK(portable_exp(-kInfinity) == 0);
  CHECK(portable_exp(1000) == kInfinity);
  CHECK(std::isnan(portable_exp(std::numeric_limits<double>::quiet_NaN())));
}

TEST_CASE("log of the smallest number and exp of its log come back", "[base]") {
  const double smallest = std::numeric_limits<double>::denorm_min();
  CHECK(portable_log(smallest) == Approx(-744.4400719213812));
  CHECK(portable_exp(portable_log(smallest)) == smallest);
}

}  // namespace
}  // namespace placer

#pragma once

#include <cstdint>
#include <vector>

namespace placer {

/// The `share` quantile, 0 to 1, of at least one value, infinities included: linear interpolation
/// between the order statistics around share * (n - 1), type 7 of Hyndman, Fan 1996 (the default of
/// R and NumPy).
double quantile(std::vector<double> values, double share);
double median(std::vector<double> values);

struct SignTest {
  std::int64_t wins = 0, losses = 0, ties = 0;
  double p_value = 1;
};

/// Two-sided: how likely at least as uneven a count of wins and losses is when both are equally
/// likely, exactly from the binomial distribution. Ties are left out (Dixon, Mood 1946).
SignTest sign_test(std::int64_t wins, std::int64_t losses, std::int64_t ties);

}  // namespace placer

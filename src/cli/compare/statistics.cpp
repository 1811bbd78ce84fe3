#include "cli/compare/statistics.hpp"

#include <algorithm>
#include <cassert>

#include "placer/base/real.hpp"

namespace placer {

double quantile(std::vector<double> values, double share) {
  assert(!values.empty() && share >= 0 && share <= 1);
  std::ranges::sort(values);
  const double at = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const double fraction = at - static_cast<double>(below);
  // Equal neighbours first: infinity less infinity is no number.
  if (fraction == 0 || values[below] == values[below + 1]) return values[below];
  return values[below] + fraction * (values[below + 1] - values[below]);
}

double median(std::vector<double> values) { return quantile(std::move(values), 0.5); }

SignTest sign_test(std::int64_t wins, std::int64_t losses, std::int64_t ties) {
  const std::int64_t count = wins + losses;
  // In logarithms: 2^-count underflows from 1,075 on.
  double log_term = -static_cast<double>(count) * portable_log(2);
  double tail = 0;
  for (std::int64_t k = 0; k <= std::min(wins, losses); ++k) {
    tail += portable_exp(log_term);
    log_term += portable_log(static_cast<double>(count - k) / static_cast<double>(k + 1));
  }
  return {wins, losses, ties, std::min(1.0, 2 * tail)};
}

}  // namespace placer

#include "search/learned/moving_baseline.hpp"

#include <cmath>
#include <utility>

namespace placer {

std::vector<double> MovingBaseline::advantages(std::span<const double> costs_seconds) {
  std::vector<double> roots;
  for (const double cost : costs_seconds) roots.push_back(std::sqrt(cost));
  return advantages_of_roots(std::move(roots));
}

std::vector<double> MovingBaseline::advantages_of_roots(std::vector<double> result) {
  const double count = static_cast<double>(result.size());
  double mean = 0;
  for (const double root : result) mean += root / count;
  if (baseline_ < 0) baseline_ = mean;
  double square = 0;
  for (double& value : result) {
    value = baseline_ - value;
    square += value * value / count;
  }
  const double size = std::sqrt(square);
  // What equal costs leave of a moving average is rounding sooner or later.
  const bool noise = size <= 1e-6 * baseline_;
  for (double& value : result) value = noise ? 0.0 : value / size;
  baseline_ = decay_ * baseline_ + (1 - decay_) * mean;
  return result;
}

}  // namespace placer

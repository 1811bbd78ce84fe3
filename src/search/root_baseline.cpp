#include "search/root_baseline.hpp"

#include <cmath>

namespace placer {

std::vector<double> RootBaseline::advantages(std::span<const double> costs_seconds) {
  const double count = static_cast<double>(costs_seconds.size());
  std::vector<double> result;
  double mean = 0;
  for (const double cost : costs_seconds) {
    result.push_back(std::sqrt(cost));
    mean += result.back() / count;
  }
  if (baseline_ < 0) baseline_ = mean;
  double square = 0;
  for (double& value : result) {
    value = baseline_ - value;
    square += value * value / count;
  }
  const double size = std::sqrt(square);
  const bool noise = size <= 1e-12 * baseline_;  // equal costs leave only rounding
  for (double& value : result) value = noise ? 0.0 : value / size;
  baseline_ = decay_ * baseline_ + (1 - decay_) * mean;
  return result;
}

}  // namespace placer

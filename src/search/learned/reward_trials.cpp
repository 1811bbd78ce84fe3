#include "search/learned/reward_trials.hpp"

#include <cmath>

namespace placer {

std::vector<double> RewardTrials::advantages(std::vector<double> rewards, bool by_trials) {
  double batch_sum = 0, squares = 0;
  for (const double each : rewards) batch_sum += each;
  const auto batch = static_cast<double>(rewards.size());
  const double mean = batch_sum / batch;
  for (const double each : rewards) squares += (each - mean) * (each - mean);
  const double deviation = std::sqrt(squares / batch);
  const double baseline = by_trials && count > 0 ? sum / static_cast<double>(count) : mean;
  sum += batch_sum;
  count += static_cast<std::int64_t>(rewards.size());
  for (double& each : rewards) each = deviation > 0 ? (each - baseline) / deviation : 0;
  return rewards;
}

}  // namespace placer

#pragma once

#include <cstdint>
#include <vector>

namespace placer {

/// The rewards of all batches so far.
struct RewardTrials {
  double sum = 0;
  std::int64_t count = 0;

  /// A batch's rewards less the mean of all earlier batches', or less their own where `by_trials`
  /// is not set or there is no earlier one, in deviations of the batch; 0 where they do not differ.
  /// The batch is one of the earlier ones from then on.
  std::vector<double> advantages(std::vector<double> rewards, bool by_trials);
};

}  // namespace placer

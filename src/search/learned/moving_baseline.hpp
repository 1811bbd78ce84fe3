#pragma once

#include <span>
#include <vector>

#include "placer/base/options.hpp"

namespace placer {

/// Advantages of REINFORCE with R = sqrt(seconds) as the cost and a moving average of it as the
/// baseline (Mirhoseini et al. 2017).
class MovingBaseline {
 public:
  /// `decay`: the share of the baseline that a batch leaves.
  explicit MovingBaseline(double decay) : decay_(decay) {}
  /// (baseline - R) over the root of its mean square in this batch, so that the unit of time does
  /// not matter; all 0 where every R is the baseline, to a millionth. Moves the baseline
  /// afterwards; it begins as the first batch's mean.
  std::vector<double> advantages(std::span<const double> costs_seconds);
  /// The same for costs that are given as R itself.
  std::vector<double> advantages_of_roots(std::vector<double> roots);

  double baseline() const { return baseline_; }
  void set_baseline(double baseline) { baseline_ = baseline; }

 private:
  double decay_;
  double baseline_ = -1;  // none yet
};

template <class O>
constexpr OptionRow<O> baseline_decay_row(double O::*member) {
  return option("baseline-decay", member, 0, 0.9999,
                "share of the moving average baseline that an update keeps");
}

}  // namespace placer

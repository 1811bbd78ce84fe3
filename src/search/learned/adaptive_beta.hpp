#pragma once

#include <algorithm>

namespace placer {

/// The weight of a proximal update's KL penalty. It doubles after an update that moved too far and
/// halves after one that moved too little, between 1e-3 and 1e3 (Gao, Chen, Li 2018, section 3.3;
/// Schulman et al. 2017, section 4).
class AdaptiveBeta {
 public:
  /// `target_kl` is in nats, a mean over the distributions of single groups.
  AdaptiveBeta(double first, double target_kl) : value_(first), target_kl_(target_kl) {}

  double value() const { return value_; }
  /// Whether a divergence is more than 1.5 times the target.
  bool too_far(double kl) const { return kl > kSlack * target_kl_; }
  void adapt(double kl) {
    if (too_far(kl)) value_ = std::min(value_ * 2, 1e3);
    if (kl < target_kl_ / kSlack) value_ = std::max(value_ / 2, 1e-3);
  }

 private:
  static constexpr double kSlack = 1.5;
  double value_, target_kl_;
};

}  // namespace placer

#pragma once

#include <algorithm>
#include <cstdint>

namespace placer {

/// Decides whether to try a way that is often cheap and sometimes dearer than the plain one, from
/// what it has cost on average. Where it does not pay, it is left alone for longer and longer, and
/// tried a few times in between.
class Patience {
 public:
  /// `plain_cost` is in any unit, such as steps, as all costs are.
  explicit Patience(std::int64_t plain_cost)
      : plain_cost_(plain_cost), average_(plain_cost / 4 * 3) {}

  bool tries() {
    if (paused_ == 0) return true;
    if (--paused_ == 0) average_ = plain_cost_ / 4 * 3;
    return false;
  }
  void tried(std::int64_t cost) {
    average_ += (cost - average_) / kMemory;
    if (average_ < plain_cost_ / 3 * 2) pause_ = kShortestPause;
    if (average_ < plain_cost_) return;
    paused_ = pause_;
    pause_ = std::min(2 * pause_, kLongestPause);
  }

 private:
  static constexpr std::int64_t kMemory = 32;  // tries that the average remembers
  static constexpr std::int64_t kShortestPause = 128, kLongestPause = 4096;  // in tries

  std::int64_t plain_cost_, average_;
  std::int64_t pause_ = kShortestPause, paused_ = 0;
};

}  // namespace placer

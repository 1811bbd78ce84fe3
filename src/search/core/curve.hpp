#pragma once

#include <cstddef>
#include <vector>

#include "placer/search/run.hpp"

namespace placer {

/// Mean and best step time over windows of evaluations. Windows are equally long; they start at one
/// evaluation, and when there are 256 of them, each two become one.
class Curve {
 public:
  /// When a window ends.
  struct Instant {
    std::int64_t evaluations = 0;
    std::optional<double> wall_seconds;
  };

  /// True when the window is full: time for `end_window`.
  bool add(const Score& score);
  void end_window(Instant now, const Score& best);
  /// With the last window as far as it has come.
  std::vector<CurvePoint> points(Instant now, const Score& best) const;

  /// Adds all but wall times to a policy's state, under names that begin with `prefix`.
  void save(const std::string& prefix, Policy& policy) const;
  /// Throws Error for what `save` cannot have written.
  void load(const std::string& prefix, const Policy& policy);

 private:
  struct Window {
    Instant end;
    std::int64_t samples = 0;  // deadlocks apart
    double sum_seconds = 0;
    std::optional<Picoseconds> best_ps;
  };
  static CurvePoint point(const Window& window);
  void halve();

  std::vector<Window> windows_;
  Window open_;
  std::int64_t length_ = 1, in_open_ = 0;
};

}  // namespace placer

#pragma once

#include <vector>

#include "placer/search/run.hpp"

namespace placer {

/// A learning curve: mean and best step time over windows of evaluations. All windows are equally
/// long: one evaluation at first, and whenever there are 256 windows, each two become one.
class Curve {
 public:
  /// The evaluation and the time at which a window ends.
  struct Instant {
    std::int64_t evaluations = 0;
    std::optional<double> wall_seconds;
  };

  /// Counts an evaluation. True when the window is full, and `end_window` is to be called.
  bool add(const Score& score);
  void end_window(Instant now, const Score& best);
  /// All points, the last for the window that is not full yet.
  std::vector<CurvePoint> points(Instant now, const Score& best) const;

  /// Adds all but wall times to a policy's state, under names that begin with `prefix`.
  void save(const std::string& prefix, Policy& policy) const;
  /// Takes what `save` has written. Throws Error for anything that it cannot have written.
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

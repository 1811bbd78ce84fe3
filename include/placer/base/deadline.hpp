#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <limits>

namespace placer {

/// Thrown by long work whose deadline has passed; caught where an answer without it is at hand.
class Stopped : public std::exception {
 public:
  const char* what() const noexcept override { return "stopped by its deadline"; }
};

/// When work has to stop: at a moment, or as soon as an interrupt is asked for. It changes no
/// result of work that ends before.
class Deadline {
 public:
  using Clock = std::chrono::steady_clock;

  /// Never.
  Deadline() = default;
  /// `seconds` after `begin`, which may be infinite; `interrupt` may be null and outlives this.
  Deadline(Clock::time_point begin, double seconds, const std::atomic<bool>* interrupt = nullptr)
      : begin_(begin), seconds_(seconds), interrupt_(interrupt) {}

  bool passed() const {
    return (interrupt_ != nullptr && interrupt_->load(std::memory_order_relaxed)) ||
           seconds_left() <= 0;
  }
  /// That of a share of what is left; the same where no moment was set.
  Deadline share(double part) const {
    return Deadline(Clock::now(), part * seconds_left(), interrupt_);
  }
  /// Infinite where no moment was set.
  double seconds_left() const {
    return seconds_ - std::chrono::duration<double>(Clock::now() - begin_).count();
  }

 private:
  Clock::time_point begin_ = {};
  double seconds_ = std::numeric_limits<double>::infinity();
  const std::atomic<bool>* interrupt_ = nullptr;
};

/// Asks a deadline from within a loop, where it costs next to nothing. Used by one thread.
class Watch {
 public:
  explicit Watch(const Deadline& deadline) : deadline_(deadline) {}

  /// To be called with what was done since the last call, in steps of about 10 to 100 ns. Throws
  /// Stopped, within some thousand steps of it, where the deadline has passed.
  void check(std::size_t steps = 1) {
    done_ += steps;
    if (done_ < kStepsBetween) return;
    done_ = 0;
    if (deadline_.passed()) throw Stopped();
  }

 private:
  static constexpr std::size_t kStepsBetween = 2048;
  Deadline deadline_;
  std::size_t done_ = 0;
};

}  // namespace placer

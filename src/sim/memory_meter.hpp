#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace placer {

/// What each device holds, and the most it held after any instant. Within an instant the order of
/// frees and allocations does not matter, and what is held for no time counts for nothing.
class MemoryMeter {
 public:
  explicit MemoryMeter(std::size_t devices) : devices_(devices) { touched_.reserve(devices); }

  /// Starts anew with nothing held. Unless `is_on`, only what is held for the whole step counts
  /// from now on.
  void reset(bool is_on) {
    is_on_ = is_on;
    std::ranges::fill(devices_, Device{});
    touched_.clear();
  }
  bool is_on() const { return is_on_; }
  /// Counts bytes that are held for the whole step, even for a step that takes no time.
  void hold_always(std::size_t device, std::int64_t bytes) {
    devices_[device].held_bytes += bytes;
    devices_[device].peak_bytes += bytes;
  }
  void hold(std::size_t device, std::int64_t bytes) {
    if (!is_on_ || bytes == 0) return;
    devices_[device].held_bytes += bytes;
    if (devices_[device].touched) return;
    devices_[device].touched = true;
    touched_.push_back(device);
  }
  void free(std::size_t device, std::int64_t bytes) { hold(device, -bytes); }
  /// To be called when an instant is over, before time moves on.
  void close_instant() {
    for (const std::size_t device : touched_) {
      Device& state = devices_[device];
      state.touched = false;
      state.peak_bytes = std::max(state.peak_bytes, state.held_bytes);
    }
    touched_.clear();
  }
  std::int64_t peak_bytes(std::size_t device) const { return devices_[device].peak_bytes; }

 private:
  struct Device {
    std::int64_t held_bytes = 0, peak_bytes = 0;
    bool touched = false;  // at this instant
  };
  std::vector<Device> devices_;
  std::vector<std::size_t> touched_;
  bool is_on_ = true;
};

}  // namespace placer

#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace placer {

/// Distinct numbers, the smallest first, in memory of the caller with room for all that ever enter.
/// A sorted array while few are larger than a newcomer, as when keys are times that move on; a
/// binary heap from there on (a sorted array is one).
class ReadyQueue {
 public:
  ReadyQueue() = default;
  /// Starts with `sorted`.
  ReadyQueue(std::span<std::uint64_t> memory, std::span<const std::uint64_t> sorted)
      : first_(memory.data()), end_(std::ranges::copy(sorted, first_).out) {}

  bool empty() const { return first_ == end_; }
  std::uint64_t front() const { return *first_; }
  std::uint64_t pop() {
    if (!is_heap_) return *first_++;
    std::pop_heap(first_, end_, std::greater<>());
    return *--end_;
  }
  void push(std::uint64_t key) {
    if (is_heap_) {
      *end_++ = key;
      std::push_heap(first_, end_, std::greater<>());
      return;
    }
    std::uint64_t* at = end_++;
    for (; at != first_ && at[-1] > key; --at) *at = at[-1];
    *at = key;
    is_heap_ = end_ - at > kMostShifts;
  }

 private:
  static constexpr std::ptrdiff_t kMostShifts = 128;

  std::uint64_t* first_ = nullptr;
  std::uint64_t* end_ = nullptr;
  bool is_heap_ = false;
};

}  // namespace placer

#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace placer {

/// Distinct numbers, the smallest first; each enters once, and at most `capacity` in all. A sorted
/// array while few are larger than a newcomer, as when keys are times that move on; a binary heap
/// from there on (a sorted array is one).
class ReadyQueue {
 public:
  explicit ReadyQueue(std::size_t capacity) : keys_(capacity) {}

  /// Starts with `sorted`.
  void reset(std::span<const std::uint64_t> sorted) {
    std::ranges::copy(sorted, keys_.begin());
    first_ = keys_.data();
    end_ = first_ + sorted.size();
    is_heap_ = false;
  }
  bool empty() const { return first_ == end_; }
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
  static constexpr std::ptrdiff_t kMostShifts = 400;

  std::vector<std::uint64_t> keys_;
  std::uint64_t* first_ = nullptr;
  std::uint64_t* end_ = nullptr;
  bool is_heap_ = false;
};

}  // namespace placer

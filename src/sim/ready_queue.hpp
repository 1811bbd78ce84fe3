#pragma once

#include <algorithm>
#include <functional>
#include <span>

namespace placer {

/// Items in an order given by `after(a, b)`, the first first, in memory of the caller with room for
/// all that ever enter; all calls have the same `after`. A sorted array while few come after a
/// newcomer, as when keys are times that move on; else a binary heap (a sorted array is one) until
/// few are left.
template <class Item>
class ReadyQueue {
 public:
  ReadyQueue() = default;
  /// A queue that starts with the items `sorted`.
  ReadyQueue(std::span<Item> memory, std::span<const Item> sorted)
      : first_(memory.data()), end_(std::ranges::copy(sorted, first_).out) {}

  bool empty() const { return first_ == end_; }
  const Item& front() const { return *first_; }
  /// All items, in no particular order.
  std::span<Item> items() { return {first_, end_}; }
  /// To be called after changes of `items()`.
  template <class After>
  void sort(After after) {
    std::sort(first_, end_, [&](const Item& a, const Item& b) { return after(b, a); });
    is_heap_ = false;
  }

  template <class After = std::greater<>>
  Item pop(After after = {}) {
    if (!is_heap_) return *first_++;
    std::pop_heap(first_, end_, after);
    const Item item = *--end_;
    if (end_ - first_ <= kFew) sort(after);
    return item;
  }
  template <class After = std::greater<>>
  void push(const Item& item, After after = {}) {
    if (is_heap_) {
      *end_++ = item;
      std::push_heap(first_, end_, after);
      return;
    }
    Item* at = end_++;
    for (; at != first_ && after(at[-1], item); --at) *at = at[-1];
    *at = item;
    is_heap_ = end_ - at > kMostShifts;
  }

 private:
  static constexpr std::ptrdiff_t kMostShifts = 128;
  static constexpr std::ptrdiff_t kFew = 16;

  Item* first_ = nullptr;
  Item* end_ = nullptr;
  bool is_heap_ = false;
};

}  // namespace placer

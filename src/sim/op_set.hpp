#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace placer {

/// A set of ops, or of devices, that is emptied in constant time.
class OpSet {
 public:
  explicit OpSet(std::size_t ops) : marks_(ops, 0) {}

  void clear() {
    if (++mark_ != 0) return;
    std::ranges::fill(marks_, 0);
    mark_ = 1;
  }
  bool contains(std::uint32_t op) const { return marks_[op] == mark_; }
  /// Adds the op; false when it was there already.
  bool add(std::uint32_t op) {
    if (contains(op)) return false;
    marks_[op] = mark_;
    return true;
  }

 private:
  std::vector<std::uint32_t> marks_;
  std::uint32_t mark_ = 1;
};

}  // namespace placer

#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

namespace placer::nn {

/// Memory handed out piece by piece and taken back all at once; its blocks are kept, so that the
/// second of two equal rounds allocates nothing.
template <class T>
class Arena {
 public:
  /// Not initialized; valid until `clear`.
  T* take(std::size_t count) {
    while (block_ < blocks_.size() && used_ + count > blocks_[block_].size) {
      ++block_;
      used_ = 0;
    }
    if (block_ == blocks_.size()) {
      const std::size_t size = std::max(count, kLeast);
      blocks_.push_back({std::make_unique_for_overwrite<T[]>(size), size});
    }
    T* taken = blocks_[block_].items.get() + used_;
    used_ += count;
    return taken;
  }
  void clear() { block_ = used_ = 0; }

 private:
  static constexpr std::size_t kLeast = 1 << 14;
  struct Block {
    std::unique_ptr<T[]> items;
    std::size_t size;
  };
  std::vector<Block> blocks_;
  std::size_t block_ = 0, used_ = 0;
};

}  // namespace placer::nn

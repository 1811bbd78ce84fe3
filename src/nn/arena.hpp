#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

namespace placer::nn {

/// Memory handed out piece by piece, each from the start of a cache line, and taken back all at
/// once; its blocks are kept, so that the second of two equal rounds allocates nothing.
template <class T>
class Arena {
 public:
  /// Memory for `count` items, not initialized, valid until `clear`.
  T* take(std::size_t count) {
    const std::size_t lines = (count * sizeof(T) + sizeof(Line) - 1) / sizeof(Line);
    while (block_ < blocks_.size() && used_ + lines > blocks_[block_].size) {
      ++block_;
      used_ = 0;
    }
    if (block_ == blocks_.size()) {
      const std::size_t size = std::max(lines, kLeast);
      blocks_.push_back({std::make_unique_for_overwrite<Line[]>(size), size});
    }
    Line* taken = blocks_[block_].lines.get() + used_;
    used_ += lines;
    return reinterpret_cast<T*>(taken);
  }
  void clear() { block_ = used_ = 0; }

 private:
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  static constexpr std::size_t kLeast = 1 << 11;
  struct Block {
    std::unique_ptr<Line[]> lines;
    std::size_t size;
  };
  std::vector<Block> blocks_;
  std::size_t block_ = 0, used_ = 0;
};

}  // namespace placer::nn

#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "placer/base/units.hpp"

namespace placer {

/// How many bytes a device holds at each time of a schedule that grows. Times lie in blocks, so
/// that each question and each change takes about the root of their number.
class MemoryOverTime {
 public:
  static constexpr Picoseconds kEver = std::numeric_limits<Picoseconds>::max();

  explicit MemoryOverTime(std::int64_t capacity_bytes) : capacity_bytes_(capacity_bytes) {}

  /// Adds `bytes`, which may be negative, from `begin_ps` on, up to `end_ps`; nothing where that is
  /// no later.
  void add(std::int64_t bytes, Picoseconds begin_ps, Picoseconds end_ps = kEver);
  /// What is left at the fullest time from `begin_ps` on, up to `end_ps`, which is later.
  std::int64_t room(Picoseconds begin_ps = 0, Picoseconds end_ps = kEver) const;
  /// What is left for good.
  std::int64_t last_room() const;
  /// The earliest time from `ready_ps` on after which `bytes` more always fit; empty if never.
  std::optional<Picoseconds> earliest(Picoseconds ready_ps, std::int64_t bytes) const;

 private:
  struct Level {
    Picoseconds begin_ps;
    std::int64_t bytes;  // and what is added to the block, until the next level
  };
  struct Block {
    std::vector<Level> levels;  // at least one
    std::int64_t added_bytes = 0;
    std::int64_t most_bytes = 0;  // of its levels, with what is added
  };
  struct Spot {
    std::size_t block, level;
  };

  Spot at(Picoseconds time_ps) const;
  Spot cut(Picoseconds time_ps);
  void split(std::size_t block);
  static void look_for_most(Block& block);

  std::int64_t capacity_bytes_;
  std::vector<Block> blocks_ = {{{{0, 0}}}};
};

}  // namespace placer

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "placer/base/units.hpp"

namespace placer {

/// How many bytes a device holds at each time of a schedule that grows.
class MemoryOverTime {
 public:
  explicit MemoryOverTime(std::int64_t capacity_bytes) : capacity_bytes_(capacity_bytes) {}

  /// Adds `bytes`, which may be negative, from `begin_ps` on.
  void add(Picoseconds begin_ps, std::int64_t bytes);
  void add(Picoseconds begin_ps, Picoseconds end_ps, std::int64_t bytes);
  /// What is left at the fullest time from `begin_ps` on, up to `end_ps` without it.
  std::int64_t room(Picoseconds begin_ps, Picoseconds end_ps) const;
  /// What is left for good.
  std::int64_t last_room() const { return capacity_bytes_ - levels_.back().bytes; }
  /// The earliest time from `ready_ps` on after which `bytes` more always fit; empty if never.
  std::optional<Picoseconds> earliest(Picoseconds ready_ps, std::int64_t bytes) const;

 private:
  struct Level {
    Picoseconds begin_ps;
    std::int64_t bytes;  // until the next
  };
  std::size_t at(Picoseconds time_ps) const;

  std::int64_t capacity_bytes_;
  std::vector<Level> levels_ = {{0, 0}};
};

}  // namespace placer

#include "search/lists/memory_over_time.hpp"

#include <algorithm>

namespace placer {

std::size_t MemoryOverTime::at(Picoseconds time_ps) const {
  const auto next = std::ranges::upper_bound(levels_, time_ps, {}, &Level::begin_ps);
  return static_cast<std::size_t>(next - levels_.begin()) - 1;
}

void MemoryOverTime::add(Picoseconds begin_ps, std::int64_t bytes) {
  if (bytes == 0) return;
  std::size_t first = at(begin_ps);
  if (levels_[first].begin_ps < begin_ps) {
    ++first;
    levels_.insert(levels_.begin() + static_cast<std::ptrdiff_t>(first),
                   {begin_ps, levels_[first - 1].bytes});
  }
  for (; first < levels_.size(); ++first) levels_[first].bytes += bytes;
}

void MemoryOverTime::add(Picoseconds begin_ps, Picoseconds end_ps, std::int64_t bytes) {
  if (end_ps <= begin_ps) return;
  add(begin_ps, bytes);
  add(end_ps, -bytes);
}

std::int64_t MemoryOverTime::room(Picoseconds begin_ps, Picoseconds end_ps) const {
  std::int64_t most_bytes = 0;
  for (std::size_t i = at(begin_ps); i < levels_.size() && levels_[i].begin_ps < end_ps; ++i) {
    most_bytes = std::max(most_bytes, levels_[i].bytes);
  }
  return capacity_bytes_ - most_bytes;
}

std::optional<Picoseconds> MemoryOverTime::earliest(Picoseconds ready_ps,
                                                    std::int64_t bytes) const {
  for (std::size_t i = levels_.size(); i-- > 0;) {
    if (levels_[i].bytes + bytes > capacity_bytes_) {
      if (i + 1 == levels_.size()) return std::nullopt;
      return std::max(ready_ps, levels_[i + 1].begin_ps);
    }
    if (levels_[i].begin_ps <= ready_ps) break;
  }
  return ready_ps;
}

}  // namespace placer

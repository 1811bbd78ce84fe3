#include "search/lists/memory_over_time.hpp"

#include <algorithm>

namespace placer {
namespace {

constexpr std::size_t kMostLevels = 512;  // of a block

}  // namespace

/// The level of that time.
MemoryOverTime::Spot MemoryOverTime::at(Picoseconds time_ps) const {
  const auto next = std::ranges::upper_bound(
      blocks_, time_ps, {}, [](const Block& b) { return b.levels.front().begin_ps; });
  const auto block = static_cast<std::size_t>(next - blocks_.begin()) - 1;
  const std::vector<Level>& levels = blocks_[block].levels;
  const auto level = std::ranges::upper_bound(levels, time_ps, {}, &Level::begin_ps);
  return {block, static_cast<std::size_t>(level - levels.begin()) - 1};
}

/// The level that begins then, a new one where none does.
MemoryOverTime::Spot MemoryOverTime::cut(Picoseconds time_ps) {
  Spot spot = at(time_ps);
  std::vector<Level>& levels = blocks_[spot.block].levels;
  if (levels[spot.level].begin_ps == time_ps) return spot;
  ++spot.level;
  levels.insert(levels.begin() + static_cast<std::ptrdiff_t>(spot.level),
                {time_ps, levels[spot.level - 1].bytes});
  if (levels.size() <= kMostLevels) return spot;
  split(spot.block);
  return at(time_ps);
}

void MemoryOverTime::split(std::size_t at) {
  Block second;
  Block& first = blocks_[at];
  const auto middle = first.levels.begin() + kMostLevels / 2;
  second.levels.assign(middle, first.levels.end());
  second.added_bytes = first.added_bytes;
  first.levels.erase(middle, first.levels.end());
  look_for_most(first);
  look_for_most(second);
  blocks_.insert(blocks_.begin() + static_cast<std::ptrdiff_t>(at) + 1, std::move(second));
}

void MemoryOverTime::look_for_most(Block& block) {
  block.most_bytes =
      block.added_bytes + std::ranges::max_element(block.levels, {}, &Level::bytes)->bytes;
}

void MemoryOverTime::add(std::int64_t bytes, Picoseconds begin_ps, Picoseconds end_ps) {
  if (bytes == 0 || end_ps <= begin_ps) return;
  if (end_ps < kEver) cut(end_ps);
  const Spot first = cut(begin_ps);
  const Spot end = end_ps < kEver ? at(end_ps) : Spot{blocks_.size(), 0};
  for (std::size_t b = first.block; b < blocks_.size() && b <= end.block; ++b) {
    Block& block = blocks_[b];
    const std::size_t from = b == first.block ? first.level : 0;
    const std::size_t to = b == end.block ? end.level : block.levels.size();
    if (from == 0 && to == block.levels.size()) {
      block.added_bytes += bytes;
      block.most_bytes += bytes;
    } else {
      for (std::size_t i = from; i < to; ++i) block.levels[i].bytes += bytes;
      look_for_most(block);
    }
  }
}

std::int64_t MemoryOverTime::room(Picoseconds begin_ps, Picoseconds end_ps) const {
  const Spot first = at(begin_ps);
  std::int64_t most_bytes = std::numeric_limits<std::int64_t>::min();
  for (std::size_t b = first.block; b < blocks_.size(); ++b) {
    const Block& block = blocks_[b];
    if (block.levels.front().begin_ps >= end_ps) break;
    if (block.most_bytes <= most_bytes) continue;
    const bool is_last = b + 1 == blocks_.size();
    const bool is_whole =
        (b > first.block || first.level == 0) &&
        (is_last ? end_ps == kEver : blocks_[b + 1].levels.front().begin_ps <= end_ps);
    if (is_whole) {
      most_bytes = block.most_bytes;
      continue;
    }
    for (std::size_t i = b == first.block ? first.level : 0;
         i < block.levels.size() && block.levels[i].begin_ps < end_ps; ++i) {
      most_bytes = std::max(most_bytes, block.added_bytes + block.levels[i].bytes);
    }
  }
  return capacity_bytes_ - most_bytes;
}

std::int64_t MemoryOverTime::last_room() const {
  return capacity_bytes_ - blocks_.back().added_bytes - blocks_.back().levels.back().bytes;
}

std::optional<Picoseconds> MemoryOverTime::earliest(Picoseconds ready_ps,
                                                    std::int64_t bytes) const {
  Picoseconds next_ps = kEver;  // the begin of what was looked at last
  for (std::size_t b = blocks_.size(); b-- > 0;) {
    const Block& block = blocks_[b];
    if (block.most_bytes + bytes > capacity_bytes_) {
      for (std::size_t i = block.levels.size(); i-- > 0;) {
        if (next_ps <= ready_ps) return ready_ps;
        if (block.added_bytes + block.levels[i].bytes + bytes > capacity_bytes_) {
          if (next_ps == kEver) return std::nullopt;
          return next_ps;
        }
        next_ps = block.levels[i].begin_ps;
      }
    }
    next_ps = block.levels.front().begin_ps;
    if (next_ps <= ready_ps) break;
  }
  return ready_ps;
}

}  // namespace placer

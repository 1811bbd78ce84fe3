#include "sim/rank_keys.hpp"

#include <algorithm>
#include <bit>

#include "sim/radix.hpp"
#include "sim/ranks.hpp"

namespace placer {

RankKeys::RankKeys(const CompactLayout& layout)
    : layout_(layout),
      tie_bits_(static_cast<int>(std::bit_width(layout.op_count() - 1))),
      ranks_(layout.op_count()) {}

bool RankKeys::fill(const Commits& commits) {
  fill_upward_ranks(
      layout_, [&](std::uint32_t op) { return commits.op(op).device; }, ranks_);
  largest_ = *std::ranges::max_element(ranks_);
  return fits_above(tie_bits_, largest_);
}

int RankKeys::end_bit() const {
  return tie_bits_ + static_cast<int>(std::bit_width(static_cast<std::uint64_t>(largest_)));
}

}  // namespace placer

#include "sim/rank_keys.hpp"

#include <bit>

namespace placer {

RankKeys::RankKeys(const CompactLayout& layout)
    : layout_(layout),
      tie_bits_(static_cast<int>(std::bit_width(layout.op_count() - 1))),
      ranks_(layout.op_count()) {}

int RankKeys::end_bit() const {
  return tie_bits_ + static_cast<int>(std::bit_width(static_cast<std::uint64_t>(largest_)));
}

}  // namespace placer

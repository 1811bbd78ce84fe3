#include "sim/rank_keys.hpp"

#include <algorithm>
#include <bit>

#include "sim/radix.hpp"

namespace placer {

RankKeys::RankKeys(const CompactLayout& layout)
    : layout_(layout),
      tie_bits_(static_cast<int>(std::bit_width(layout.op_count() - 1))),
      ranks_(layout.op_count()) {}

bool RankKeys::fill(const Commits& commits) {
  largest_ = 0;
  for (auto op = static_cast<std::uint32_t>(layout_.op_count()); op-- > 0;) {
    const std::uint32_t from = commits.op(op).device;
    Picoseconds longest = 0;
    for (std::uint32_t t = layout_.first_tensor[op]; t < layout_.first_tensor[op + 1]; ++t) {
      const CompactLayout::Tensor& tensor = layout_.tensors[t];
      for (std::uint32_t edge = tensor.first_edge; edge < tensor.end_edge; ++edge) {
        const std::uint32_t consumer = layout_.edge_consumers[edge];
        const std::uint32_t to = commits.op(consumer).device;
        const Picoseconds transfer_ps = layout_.transfer_ps(t, layout_.wire(from, to));
        longest = std::max(longest, ranks_[consumer] + (to == from ? 0 : transfer_ps));
      }
    }
    ranks_[op] = layout_.op_ps(op, from) + longest;
    largest_ = std::max(largest_, ranks_[op]);
  }
  return fits_above(tie_bits_, largest_);
}

int RankKeys::end_bit() const {
  return tie_bits_ + static_cast<int>(std::bit_width(static_cast<std::uint64_t>(largest_)));
}

}  // namespace placer

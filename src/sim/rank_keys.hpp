#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "sim/commits.hpp"
#include "sim/radix.hpp"
#include "sim/ranks.hpp"

namespace placer {

/// Upward ranks for the placement at hand, as keys: the larger the rank, the smaller the key.
class RankKeys {
 public:
  explicit RankKeys(const CompactLayout& layout);

  /// Works out the keys for the placement that `commits` was reset to. False where a rank does not
  /// fit a key.
  template <class Commits>
  bool fill(const Commits& commits) {
    fill_upward_ranks(
        layout_, [&](std::uint32_t op) { return commits.op(op).device; },
        [&](std::uint32_t tensor, std::uint32_t from, std::uint32_t to) {
          return layout_.transfer_ps(tensor, layout_.wire(from, to));
        },
        ranks_);
    largest_ = *std::ranges::max_element(ranks_);
    return fits_above(tie_bits_, largest_);
  }
  /// The op's key with `tie`, which is less than the number of ops, in the bits below it.
  std::uint64_t key(std::uint32_t op, std::uint32_t tie) const {
    return static_cast<std::uint64_t>(largest_ - ranks_[op]) << tie_bits_ | tie;
  }
  int tie_bits() const { return tie_bits_; }
  std::uint64_t tie_mask() const { return (std::uint64_t{1} << tie_bits_) - 1; }
  /// All keys are below 1 << end_bit().
  int end_bit() const;

 private:
  const CompactLayout& layout_;
  const int tie_bits_;
  std::vector<Picoseconds> ranks_;  // by op
  Picoseconds largest_ = 0;
};

/// All ops, those of larger rank first and equal ones in program order.
class RankOrder {
 public:
  explicit RankOrder(const CompactLayout& layout)
      : ranks_(layout), keys_(layout.op_count()), scratch_(layout.op_count()) {}

  /// Calls `visit(op)` for each, for the placement that `commits` was reset to. Where a rank does
  /// not fit a key, it calls none and returns false.
  template <class Commits, class Visit>
  bool visit(const Commits& commits, Visit visit) {
    if (!ranks_.fill(commits)) return false;
    for (std::uint32_t op = 0; op < keys_.size(); ++op) keys_[op] = ranks_.key(op, op);
    for (const std::uint64_t key :
         radix_sort(std::span(keys_), std::span(scratch_), ranks_.tie_bits(), ranks_.end_bit(),
                    std::identity())) {
      visit(static_cast<std::uint32_t>(key & ranks_.tie_mask()));
    }
    return true;
  }

 private:
  RankKeys ranks_;
  std::vector<std::uint64_t> keys_, scratch_;
};

}  // namespace placer

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "placer/base/ids.hpp"

namespace placer {

struct Op;

/// Finds ops by name: a hash table of positions with open addressing. The ops must outlive it; of
/// equal names the first counts.
class OpIndex {
 public:
  explicit OpIndex(std::span<const Op> ops);

  /// Empty where no op has that name.
  std::optional<OpId> find(std::string_view name) const;

  struct Repeated {
    OpId first, again;
  };
  /// The first op with the name of an earlier one, and that one; empty where all names differ.
  const std::optional<Repeated>& repeated() const { return repeated_; }

 private:
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t number = 0;  // of the op, from 1; 0 is an empty slot
  };

  /// The position of the slot that holds the name, or of the empty one where it belongs.
  std::size_t slot_of(std::string_view name, std::uint32_t hash) const;

  std::span<const Op> ops_;
  std::vector<Slot> slots_;  // a power of two, at least half of them empty
  std::optional<Repeated> repeated_;
};

}  // namespace placer

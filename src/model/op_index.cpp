#include "placer/model/op_index.hpp"

#include <bit>
#include <functional>

#include "placer/model/graph.hpp"

namespace placer {
namespace {

constexpr std::uint32_t kNeighbours = 16;

/// Names that differ only in the last letter are neighbours: op17 and op18 are often asked for one
/// after the other, and then share a line of the cache.
std::uint32_t hash_of(std::string_view name) {
  if (name.empty()) return 0;
  const std::size_t family = std::hash<std::string_view>{}(name.substr(0, name.size() - 1));
  const auto last = static_cast<unsigned char>(name.back());
  return static_cast<std::uint32_t>(family) / kNeighbours * kNeighbours + last % kNeighbours;
}

}  // namespace

OpIndex::OpIndex(std::span<const Op> ops) : ops_(ops), slots_(std::bit_ceil(2 * ops.size() + 1)) {
  for (const OpId op : IdRange<OpId>(ops.size())) {
    const std::string_view name = ops[op.index()].name;
    const std::uint32_t hash = hash_of(name);
    Slot& slot = slots_[slot_of(name, hash)];
    if (slot.number == 0) {
      slot = {hash, static_cast<std::uint32_t>(op.index() + 1)};
    } else if (!repeated_) {
      repeated_ = {OpId(slot.number - 1), op};
    }
  }
}

std::optional<OpId> OpIndex::find(std::string_view name) const {
  const Slot& slot = slots_[slot_of(name, hash_of(name))];
  if (slot.number == 0) return std::nullopt;
  return OpId(slot.number - 1);
}

std::size_t OpIndex::slot_of(std::string_view name, std::uint32_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
    const Slot& slot = slots_[at];
    if (slot.number == 0 || (slot.hash == hash && ops_[slot.number - 1].name == name)) return at;
  }
}

}  // namespace placer

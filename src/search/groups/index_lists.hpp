#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace placer {

/// Lists of indices, one for each of `count` keys, that lie in one memory: a list for each of a
/// million groups would take as many allocations.
class IndexLists {
 public:
  /// (key, value): `value` belongs to the list of `key`.
  using Entry = std::pair<std::uint32_t, std::uint32_t>;

  IndexLists() = default;
  /// The values of each key, below `count`, ascending and each once.
  IndexLists(std::size_t count, std::span<const Entry> entries);

  /// For each value below `size()` its keys: of children their parents.
  IndexLists transposed() const;

  std::size_t size() const { return begin_.size() - 1; }
  std::span<const std::uint32_t> operator[](std::size_t key) const {
    return std::span(values_).subspan(begin_[key], begin_[key + 1] - begin_[key]);
  }

 private:
  std::vector<std::size_t> begin_ = {0};  // by key, and the end of the last
  std::vector<std::uint32_t> values_;
};

}  // namespace placer

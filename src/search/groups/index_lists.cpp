#include "search/groups/index_lists.hpp"

#include <algorithm>
#include <iterator>

namespace placer {

IndexLists::IndexLists(std::size_t count, std::span<const Entry> entries) : begin_(count + 1, 0) {
  for (const Entry& entry : entries) ++begin_[entry.first + 1];
  for (std::size_t key = 0; key < count; ++key) begin_[key + 1] += begin_[key];
  std::vector<std::size_t> end(begin_.begin(), begin_.end() - 1);
  std::vector<std::uint32_t> listed(entries.size());
  for (const auto& [key, value] : entries) listed[end[key]++] = value;
  values_.reserve(listed.size());
  for (std::size_t key = 0; key < count; ++key) {
    const auto list = std::span(listed).subspan(begin_[key], end[key] - begin_[key]);
    std::ranges::sort(list);
    begin_[key] = values_.size();
    std::ranges::unique_copy(list, std::back_inserter(values_));
  }
  begin_[count] = values_.size();
}

IndexLists IndexLists::transposed() const {
  std::vector<Entry> entries;
  entries.reserve(values_.size());
  for (std::uint32_t key = 0; key < size(); ++key) {
    for (const std::uint32_t value : (*this)[key]) entries.emplace_back(value, key);
  }
  return IndexLists(size(), entries);
}

}  // namespace placer

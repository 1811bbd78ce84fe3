// What a device can hold of items that cannot be cut, for a LoadBound.
#include <algorithm>

#include "search/bounds/largest_sum.hpp"
#include "search/bounds/load_bound.hpp"

namespace placer {

std::vector<std::vector<std::int64_t>> LoadBound::bytes_of_pools() const {
  std::vector<std::vector<std::int64_t>> bytes(firsts_.size());
  for (std::size_t choice = 0; choice < choices_.size(); ++choice) {
    bytes[choices_[choice].pool].push_back(exact_[choice].bytes);
  }
  return bytes;
}

void LoadBound::round_memory_to_sums() {
  std::vector<std::vector<std::int64_t>> bytes = bytes_of_pools();
  std::vector<double> growth(firsts_.size(), 1);  // of what a choice takes of the pool's memory
  for (std::size_t pool = 0; pool < firsts_.size(); ++pool) {
    const std::int64_t device_bytes = device_bytes_[pool];
    const std::int64_t most_bytes = largest_sum(std::move(bytes[pool]), device_bytes);
    if (most_bytes >= device_bytes || memory_bytes_[pool] == kMostMemory) continue;
    const std::int64_t before = memory_bytes_[pool];
    memory_bytes_[pool] = before / device_bytes * most_bytes;
    growth[pool] = static_cast<double>(before) /
                   static_cast<double>(std::max<std::int64_t>(1, memory_bytes_[pool]));
  }
  for (Choice& choice : choices_) choice.fill *= growth[choice.pool];
}

bool LoadBound::count_memory() {
  constexpr std::int64_t kMostParts = 64;
  std::vector<std::int64_t> parts(firsts_.size(), 0);  // 0: the bytes stay
  std::vector<std::vector<std::int64_t>> bytes = bytes_of_pools();
  for (std::size_t pool = 0; pool < firsts_.size(); ++pool) {
    const std::int64_t device_bytes = device_bytes_[pool];
    double most = 0;  // of all items together, in devices
    for (const std::int64_t item : bytes[pool]) most += static_cast<double>(item);
    most *= 1 + 1e-9;
    most /= static_cast<double>(std::max<std::int64_t>(1, device_bytes));
    for (std::int64_t m = 1; m <= kMostParts && device_bytes > 0; ++m) {
      double sum = 0;
      for (const std::int64_t item : bytes[pool]) {
        sum += static_cast<double>(parts_of(item, device_bytes, m));
      }
      if (sum / static_cast<double>(m) <= most) continue;
      most = sum / static_cast<double>(m);
      parts[pool] = m;
    }
    if (parts[pool] > 0) memory_bytes_[pool] = slots_[pool] / device_slots_[pool] * parts[pool];
  }
  for (std::size_t c = 0; c < choices_.size(); ++c) {
    const std::size_t pool = choices_[c].pool;
    if (parts[pool] == 0) continue;
    exact_[c].bytes = parts_of(exact_[c].bytes, device_bytes_[pool], parts[pool]);
    choices_[c].fill =
        static_cast<double>(exact_[c].bytes) / static_cast<double>(memory_bytes_[pool]);
  }
  return std::ranges::any_of(parts, [](std::int64_t count) { return count > 0; });
}

}  // namespace placer

#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "sim/commits.hpp"
#include "sim/fast_path.hpp"
#include "sim/rank_keys.hpp"
#include "sim/ready_queue.hpp"

namespace placer {

/// Whether of ready ops of equal rank the first is the one that became ready first, as under pct,
/// or simply the one of the smaller id, as under priority.
enum class RankTies { kById, kByReadyTime };

/// Ready ops by larger rank. Gives up where an op takes no time, or a key would be too large.
template <RankTies kTies>
class PriorityPath : public FastPath {
 public:
  /// Senders are alone, and transfers take time.
  explicit PriorityPath(const CompactLayout& layout);
  std::optional<Score> evaluate(const Placement& placement, const Sequences* sequences) override;

 private:
  struct LongKey {
    std::uint64_t rank, coming;
    friend auto operator<=>(const LongKey&, const LongKey&) = default;
  };
  using Key = std::conditional_t<kTies == RankTies::kById, std::uint64_t, LongKey>;

  struct DeviceState {
    ReadyQueue<Key> ready;             // by the time at which it takes its next op
    ReadyQueue<std::uint64_t> coming;  // later than that: ready time << tie bits | id
    std::size_t op_count = 0;
  };

  void reset();
  void enqueue(std::uint32_t op, Picoseconds ready_ps);
  bool take_next(std::uint32_t device);
  Picoseconds next_take_ps(std::uint32_t device) const;
  Key ready_key(std::uint64_t coming_key) const;
  std::uint32_t op_in(std::uint64_t key) const { return layout_.op_of[key & ranks_.tie_mask()]; }
  std::uint32_t op_in(const LongKey& key) const { return op_in(key.coming); }

  const CompactLayout& layout_;
  Commits commits_;
  RankKeys ranks_;
  std::vector<DeviceState> devices_;
  std::vector<Picoseconds> next_take_ps_;  // by device
  std::vector<Key> ready_keys_;
  std::vector<std::uint64_t> coming_keys_;
};

}  // namespace placer

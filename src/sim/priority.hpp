#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/commits.hpp"
#include "sim/fast_path.hpp"
#include "sim/rank_keys.hpp"
#include "sim/ready_queue.hpp"

namespace placer {

/// Ready ops by larger rank. Gives up where an op takes no time, or a key would be too large.
class PriorityPath : public FastPath {
 public:
  /// Senders are alone, and transfers take time.
  explicit PriorityPath(const CompactLayout& layout);
  std::optional<Score> evaluate(const Placement& placement, const Sequences* sequences) override;

 private:
  struct DeviceState {
    ReadyQueue<std::uint64_t> ready;   // by the time at which it takes its next op: rank key | id
    ReadyQueue<std::uint64_t> coming;  // later than that: ready time << tie bits | id
    std::size_t op_count = 0;
  };

  void reset();
  void enqueue(std::uint32_t op, Picoseconds ready_ps);
  bool take_next(std::uint32_t device);
  Picoseconds next_take_ps(std::uint32_t device) const;
  std::uint32_t op_in(std::uint64_t key) const { return layout_.op_of[key & ranks_.tie_mask()]; }

  const CompactLayout& layout_;
  Commits commits_;
  RankKeys ranks_;
  std::vector<DeviceState> devices_;
  std::vector<Picoseconds> next_take_ps_;  // by device
  std::vector<std::uint64_t> ready_keys_, coming_keys_;
};

}  // namespace placer

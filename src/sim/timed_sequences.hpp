#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/commits.hpp"
#include "sim/fast_path.hpp"
#include "sim/rank_keys.hpp"

namespace placer {

/// The fast path for the orders program and given where several senders share channels. Gives up
/// where a key would be too large.
class TimedSequencesPath : public FastPath {
 public:
  /// For layouts in which everything takes time (CompactLayout::all_takes_time()).
  TimedSequencesPath(const CompactLayout& layout, Order order);
  std::optional<Score> evaluate(const Placement& placement, const Sequences* sequences,
                                Picoseconds most_ps) override;
  std::optional<Score> evaluate(const Placement& placement, const OpOrder& order,
                                Picoseconds most_ps) override;

 private:
  struct DeviceState {
    std::size_t next = 0, end = 0;  // what is left of its part of sequences_
  };

  void reset(const Placement& placement);
  void append(std::uint32_t op) { sequences_[devices_[commits_.op(op).device].end++] = op; }
  std::optional<Score> run(Picoseconds most_ps);
  void find_next_take(std::size_t device);

  const CompactLayout& layout_;
  const Order order_;
  Commits<Rounds::kIgnored, Channels::kShared> commits_;
  RankOrder by_rank_;
  std::vector<DeviceState> devices_;
  std::vector<std::uint32_t> sequences_;  // one device after the other
  std::vector<Picoseconds> next_take_;    // by device; never while its next op misses an input
};

}  // namespace placer

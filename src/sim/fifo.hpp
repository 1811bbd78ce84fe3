#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/commits.hpp"
#include "sim/fast_path.hpp"
#include "sim/ready_queue.hpp"

namespace placer {

/// The fast path for order fifo: ops are committed in the order in which they become ready. Gives
/// up where the step is too long for the keys.
template <Channels kChannels>
class FifoPath : public FastPath {
 public:
  /// For layouts in which everything takes time (CompactLayout::all_takes_time()).
  explicit FifoPath(const CompactLayout& layout);
  std::optional<Score> evaluate(const Placement& placement, const Sequences* sequences,
                                Picoseconds most_ps) override;

 private:
  const CompactLayout& layout_;
  const int id_bits_;
  Commits<Rounds::kIgnored, kChannels> commits_;
  std::vector<std::uint64_t> keys_;     // ready time << id bits | id
  ReadyQueue<std::uint64_t> queue_;     // in keys_
  std::vector<std::uint64_t> sources_;  // keys
};

}  // namespace placer

#pragma once

#include <cstdint>
#include <vector>

#include "sim/compact_layout.hpp"

namespace placer {

/// The successor ranks of Order::kMsr.
class SuccessorRanks {
 public:
  /// What ranks depend on, by op of the layout and by device.
  struct State {
    const std::vector<std::uint32_t>& device_of;
    const std::vector<std::uint32_t>& missing;  // inputs that are not on the op's device yet
    const std::vector<bool>& idle;              // no ready op waits on the device
  };

  explicit SuccessorRanks(const CompactLayout& layout);

  std::int64_t rank(std::uint32_t op, const State& state) const;

 private:
  struct Successor {
    std::uint32_t op;
    std::uint32_t inputs;  // those that the predecessor makes
  };
  std::vector<Successor> successors_;
  std::vector<std::uint32_t> offsets_;  // of each op's successors
};

}  // namespace placer

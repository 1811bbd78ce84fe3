#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "placer/search/run.hpp"

namespace placer {

/// Sees whether a learner's samples end on one device: whether 90 of the last 100 have all groups
/// with a choice on the same device. Fewer than two such groups cannot collapse.
class CollapseWatch {
 public:
  void add(const Problem& problem, const Placement& placement);
  std::optional<Collapse> collapse() const;

 private:
  std::vector<std::optional<DeviceId>> recent_;  // a ring: the device of a sample that is on one
  std::vector<int> on_;                          // by device: how many of the ring are on it
  std::int64_t samples_ = 0;
  std::optional<Collapse> since_;
};

}  // namespace placer

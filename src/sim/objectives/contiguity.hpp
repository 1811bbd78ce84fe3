#pragma once

#include <cstdint>
#include <vector>

#include "placer/model/placement.hpp"
#include "placer/model/problem.hpp"

namespace placer {

/// Counts what breaks the contiguity that the problem's goal asks for. Only ops of the forward pass
/// and what they hand to each other count.
class ContiguityCheck {
 public:
  explicit ContiguityCheck(const Problem& problem);

  /// `contiguous`: ops that a path reaches on a device that it had left. `stages`: ops that read
  /// from a later device in the given order; where any order will do, those that read from a device
  /// that their own leads back to. 0 where nothing is asked.
  std::int64_t astray_ops(const Placement& placement);

 private:
  std::int64_t returns(const Placement& placement);
  std::int64_t backward_reads(const Placement& placement) const;
  std::int64_t reads_in_circles(const Placement& placement);
  void reach();

  template <class Visit>
  void for_each_read(const Placement& placement, Visit visit) const;

  const Problem& problem_;
  std::vector<OpId> forward_;         // in program order
  std::vector<std::size_t> place_;    // by device: in the given order
  std::size_t words_;                 // of a set of all devices
  std::vector<std::size_t> number_;   // by device: among those in use
  std::vector<std::uint64_t> left_;   // by op, a set: devices that a path to it has left
  std::vector<std::uint64_t> leads_;  // by device, a set: devices that it leads to
};

}  // namespace placer

#pragma once

#include <cstdint>
#include <vector>

#include "placer/model/problem.hpp"

namespace placer {

/// What a device holds that has some groups in a row of an order, as if all ops ran in program
/// order, one after the other, and tensors took no time to be sent.
class RunMemory {
 public:
  RunMemory(const Problem& problem, const std::vector<GroupId>& order);
  /// The most at once of the groups first ... end - 1 of the order.
  std::int64_t peak_bytes(std::size_t first, std::size_t end);

 private:
  struct Use {  // of a tensor by a group
    std::uint32_t tensor;
    std::uint32_t until;  // the position of the last op that reads or makes it
  };
  void hold(std::uint32_t from, std::uint32_t until, std::int64_t bytes);

  const Problem& problem_;
  std::vector<std::uint32_t> position_;  // by op, in program order
  std::vector<std::vector<Use>> uses_;   // by place in the order
  std::vector<std::vector<OpId>> ops_;   // the same: that hold more than tensors
  std::vector<std::uint32_t> until_;     // by tensor
  std::vector<std::uint32_t> used_;      // of the run
  std::vector<std::int64_t> changes_;    // by position; 0 but within `peak_bytes`
  std::uint32_t first_change_ = 0, last_change_ = 0;
};

}  // namespace placer

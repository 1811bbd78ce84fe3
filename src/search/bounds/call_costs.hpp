#pragma once

#include <cstdint>
#include <vector>

#include "search/groups/memory_fit.hpp"
#include "sim/objectives/static_memory.hpp"

namespace placer {

/// What a call takes at least, and what it holds, op by op and tensor by tensor.
struct CallCosts {
  CallCosts(const Problem& given, const MemoryFit& room);
  bool may_call(OpId op, DeviceId device) const {
    return fit.may_go(problem.groups().of(op), device);
  }

  const Problem& problem;
  const MemoryFit& fit;
  const StaticMemory memory;
  std::vector<DeviceId> kinds;       // accelerators, one of each kind
  std::size_t calls = 0;             // at most: as many as accelerators
  std::vector<Picoseconds> host_ps;  // by op: kNeverPs where it may not be on a host
  std::vector<Picoseconds> call_ps;  // by op: the same for accelerators
  std::vector<Picoseconds> copy_ps;  // by tensor
};

}  // namespace placer

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

/// Where all ops stand beside a path. The places of its ops are 0, 1, ...
struct CallPath {
  CallPath(const Problem& problem, std::vector<OpId> along);

  std::int64_t length() const { return static_cast<std::int64_t>(ops.size()); }

  std::vector<OpId> ops;
  std::vector<std::int64_t> from;         // by op: the last place that leads to it; -1: none
  std::vector<std::int64_t> to;           // by op: the first place that it leads to; length(): none
  std::vector<std::vector<OpId>> ops_to;  // by place: the ops that lead there first
  // By tensor: the last place that leads to an op that reads it; -1 where there is none or it has
  // no bytes.
  std::vector<std::int64_t> read_from;
};

}  // namespace placer

#pragma once

#include <vector>

#include "placer/model/problem.hpp"

namespace placer {

/// The devices of the ops that `once` (by op) leaves out, so that forward ops read from earlier
/// ones and backward ops from later ones; of several that could come next, the one of lowest id
/// does. Throws Error where there is no such order.
std::vector<DeviceId> stage_order(const Problem& problem, const Placement& placement,
                                  const std::vector<char>& once);

/// Devices that take their turns again and again, each turn with a chunk of the model.
struct DealtChunks {
  std::vector<DeviceId> devices;      // in the order of their turns
  std::size_t chunks = 1;             // the most that a device has
  std::vector<std::size_t> chunk_of;  // by op; 0 for those that `once` leaves out
};

/// Devices stand in the order in which the forward pass first goes from one to another. A forward
/// op belongs to the first turn of its device that comes no earlier than what it reads; a backward
/// op to the last one that comes no later than the backward ops that it reads from. Throws Error
/// where a forward op reads from a backward op, and where a backward op would come before the first
/// turn.
DealtChunks dealt_chunks(const Problem& problem, const Placement& placement,
                         const std::vector<char>& once);

}  // namespace placer

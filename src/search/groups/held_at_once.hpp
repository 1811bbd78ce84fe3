#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "placer/model/problem.hpp"

namespace placer {

/// What is in memory at an instant while `op` runs, in every order and placement: what was made
/// before it and is read after it. In a training step that is what the forward pass leaves for the
/// backward pass.
struct HeldAtOnce {
  OpId op;
  /// By group: its parameters and what is held on its device for certain. A tensor counts once:
  /// where it is kept, or where a group both has or has read it and will read it.
  std::vector<std::int64_t> bytes;
  std::int64_t open_bytes = 0;  // of tensors on one of several devices
};

/// The instant at which groups hold most for certain, of those that promise most as ops in program
/// order leave it. Empty where none holds more than `enough_bytes`, and where every op takes no
/// time on some device. For a step alone: several graphs in a pipeline share a memory.
std::optional<HeldAtOnce> fullest_instant(const Problem& problem, std::int64_t enough_bytes = 0);

}  // namespace placer

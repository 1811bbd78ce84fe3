#pragma once

#include <cstdint>
#include <optional>

namespace placer {

/// What one step of a graph is good for, where that is known: how many samples (images, sequences)
/// it handles, or how many tokens it makes.
struct StepYield {
  std::optional<std::int64_t> samples, tokens;
  friend bool operator==(const StepYield&, const StepYield&) = default;
};

}  // namespace placer

#pragma once

#include <cstdint>
#include <vector>

namespace placer {

/// At least the largest sum of some of the sizes that is at most `most`; equal to it but for
/// rounding, where few sizes are different, else `most`.
std::int64_t largest_sum(std::vector<std::int64_t> sizes, std::int64_t most);

}  // namespace placer

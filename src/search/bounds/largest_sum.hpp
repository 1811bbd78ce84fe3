#pragma once

#include <cstdint>
#include <vector>

namespace placer {

/// At least the largest sum of some of the sizes that is at most `most`; equal to it but for
/// rounding, where few sizes are different, else `most`.
std::int64_t largest_sum(std::vector<std::int64_t> sizes, std::int64_t most);

/// How many of so many parts of `whole` an item of this size, at most `whole`, surely counts for:
/// items of one whole count for no more than all parts together (a dual feasible function, Fekete,
/// Schepers 2001).
std::int64_t parts_of(std::int64_t size, std::int64_t whole, std::int64_t parts);

}  // namespace placer

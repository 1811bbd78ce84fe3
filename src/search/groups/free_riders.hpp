#pragma once

#include <cstdint>
#include <vector>

#include "placer/model/problem.hpp"

namespace placer {

/// For each group the number of the group that it may as well share a device with under the
/// objective throughput; its own number where there is none. Such a group takes no time on any
/// device and shares tensors with one other group alone, those aside that have joined it, and may
/// go wherever that one may: apart, the two would only have more to send. Nobody joins where memory
/// may be short.
std::vector<std::uint32_t> free_riders(const Problem& problem);

}  // namespace placer

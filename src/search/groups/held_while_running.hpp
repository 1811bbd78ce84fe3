#pragma once

#include <cstdint>
#include <vector>

#include "placer/model/problem.hpp"

namespace placer {

/// By op: what the device of its group holds for certain of tensors and for a time while it runs,
/// whatever else is there and in whatever order ops run. That is what the op itself makes, takes
/// and needs, and what ops of the group that come before it have made or read and others that come
/// after it will read, such as what the forward pass of a layer leaves for its backward pass. Empty
/// for graphs of so many ops that it would take long.
std::vector<std::int64_t> held_while_running(const Problem& problem);

}  // namespace placer

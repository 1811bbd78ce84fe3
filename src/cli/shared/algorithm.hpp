#pragma once

#include <string_view>

#include "placer/search/optimizer.hpp"

namespace placer {

/// The algorithm that a command line names: one of find_optimizer(), or `exec:COMMAND`, which lives
/// as long as the program. Throws Error.
const Optimizer& find_algorithm(std::string_view name);

}  // namespace placer

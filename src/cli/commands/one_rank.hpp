#pragma once

#include <string>

#include "cli/shared/command.hpp"

namespace placer {

/// Where there are several ranks, warns that `what` is not shared among them.
void warn_of_one_rank(const std::string& what, const Console& console);

}  // namespace placer

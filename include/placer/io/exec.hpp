#pragma once

#include <string_view>

#include "placer/search/optimizer.hpp"

namespace placer {

/// What stands in front of a command where an algorithm is named: "exec:python3 mine.py".
inline constexpr std::string_view kExecPrefix = "exec:";

/// An algorithm that is a program: `name` is kExecPrefix and a command for /bin/sh. The program
/// reads the problem and the scores of its placements on its standard input, and prints placements
/// on its standard output, one JSON object a line, as docs/exec.md says. It is killed, with all
/// that it has started in its process group, when the search ends. Running it throws Error, one
/// line that begins with "algorithm NAME:", where it cannot be started, ends with another exit code
/// than 0 or without a placement, says nothing for as long as the option "patience" allows, or
/// prints what is no placement of the problem. Throws Error for an empty command.
Optimizer exec_optimizer(std::string_view name);

}  // namespace placer

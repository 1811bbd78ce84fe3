#pragma once

#include <span>
#include <string>

#include "cli/shared/command.hpp"

namespace placer {

/// Every command, in the order of `placer --help`.
const std::vector<Command>& all_commands();

/// The whole program after its name: parses, runs the command, prints, and returns an ExitCode.
/// Everything the user can mend is one line on `console.err` and exit 1; any other exception is a
/// fault of ours and exit 4.
int run_program(std::span<const std::string> line, Console& console);

}  // namespace placer

#pragma once

#include <string>

#include "cli/bench/report.hpp"

namespace placer {

/// The command that makes the search of a case again, from the folder where this program runs.
std::string repeating_command(const BenchCase& which);

/// What a run that is a regression says of itself: what it found, what was expected, by how much it
/// is worse, and the command that repeats it.
std::string fault_text(const BenchRun& run);

}  // namespace placer

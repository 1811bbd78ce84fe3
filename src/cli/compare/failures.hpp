#pragma once

#include <vector>

#include "cli/compare/runs.hpp"
#include "cli/shared/command.hpp"

namespace placer {

/// Whether no run of any algorithm fits on one of the graphs.
bool some_graph_never_fits(const Comparison& comparison);

/// Of runs and floors.
std::vector<Failure> all_failures(const Comparison& comparison);

/// Tells of each algorithm on a graph how many of its runs failed, and why.
void tell_failures(const Comparison& comparison, const Console& console);

}  // namespace placer

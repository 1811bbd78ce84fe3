#pragma once

#include <string>

#include "cli/shared/request.hpp"
#include "placer/model/graph.hpp"

namespace placer {

/// Puts `--pin` and `--together` into the ops of the graph that errors call `file`. Throws Error
/// for a pattern that matches no op, and for ops that several patterns claim.
void apply_pins(const ProblemFlags& flags, const std::string& file, Graph& graph);

/// Throws Error where `--pin` has put an op of `problem` where the op itself, in `graph` before the
/// pins, may not go.
void check_pins(const ProblemFlags& flags, const Graph& graph, const Problem& problem);

/// What `--objective`, `--contiguous` and `--stages` ask for. Throws Error for stages that are not
/// all devices, each once.
Goal goal_of(const ProblemFlags& flags, const Topology& topology);

}  // namespace placer

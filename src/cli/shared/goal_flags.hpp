#pragma once

#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "cli/shared/request.hpp"
#include "placer/model/graph.hpp"

namespace placer {

/// What `--groups module[:DEPTH]|layer` ties together.
struct UnitGroups {
  bool layers = false;                                          // and modules that are in none
  std::size_t depth = std::numeric_limits<std::size_t>::max();  // of modules
};
/// Empty for another text. Throws Error for a depth that is none.
std::optional<UnitGroups> unit_groups(std::string_view text);

/// Puts `--pin`, `--together` and `--groups module|layer` into the ops of the graph that errors
/// call `file`. Throws Error for a pattern that matches no op, and for ops that several patterns
/// claim.
void apply_pins(const ProblemFlags& flags, const std::string& file, Graph& graph);

/// Throws Error where `--pin` names a device that is none of a machine, which errors call
/// `machine`.
void check_pin_names(const ProblemFlags& flags, const Topology& topology,
                     const std::string& machine);

/// Throws Error where `--pin` has put an op of `problem` where the op itself, in `graph` before the
/// pins, may not go.
void check_pins(const ProblemFlags& flags, const Graph& graph, const Problem& problem);

/// What `--objective`, `--contiguous` and `--stages` ask for. Throws Error for stages that are not
/// all devices, each once.
Goal goal_of(const ProblemFlags& flags, const Topology& topology);

/// Throws Error where no placement keeps the given order of stages, as an op may only go to stages
/// before those of an op whose output it reads.
void check_stages(const Problem& problem);

}  // namespace placer

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

/// Puts `--groups module|layer` into the ops of the graph.
void apply_units(const ProblemFlags& flags, Graph& graph);

/// Puts `--together` into the ops of the graph that errors call `file`. Throws Error for a pattern
/// that matches no op, and for ops that several patterns claim.
void apply_ties(const ProblemFlags& flags, const std::string& file, Graph& graph);

/// Leaves the ops that match a pattern of `--pin` those of their devices that it names, by name or
/// type; errors call the graph `file` and the machine of `topology` `machine`. Throws Error as
/// apply_ties does, for a device that is none, and for one that the op may not use.
void apply_pins(const ProblemFlags& flags, const std::string& file, const Topology& topology,
                const std::string& machine, Graph& graph);

/// What `--objective`, `--contiguous` and `--stages` ask for. Throws Error for stages that are not
/// all devices, each once.
Goal goal_of(const ProblemFlags& flags, const Topology& topology);

/// Throws Error where pins are known to leave no placement that keeps to `--contiguous` or
/// `--stages`.
void check_goal(const Problem& problem);

}  // namespace placer

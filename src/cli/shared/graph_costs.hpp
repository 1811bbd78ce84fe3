#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/shared/request.hpp"
#include "placer/model/measured.hpp"

namespace placer {

/// What was done with a profile.
struct Measured {
  std::size_t steps = 1;
  ProfileMatch match;
  std::vector<EfficiencyFit> fits;
};

/// The device that a profile without devices is of.
std::string measured_device(const ProblemFlags& flags);

/// Makes a training step of the graph and sets measured times, before and after that, as the flags
/// say; empty without a profile. `file` is what errors call the graph. Throws Error.
std::optional<Measured> apply_costs(const ProblemFlags& flags, const std::string& file,
                                    Graph& graph);

}  // namespace placer

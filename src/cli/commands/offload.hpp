#pragma once

#include <optional>
#include <string>

#include "cli/shared/request.hpp"

namespace placer {

/// Where layers that --for's framework offloads hold more on the accelerator that runs them than
/// it has left, or than --reserve keeps for them: both sizes, and with which --reserve short
/// searches find placements without that. Empty where they do not.
std::optional<std::string> offload_trouble(const LoadedProblem& loaded, const Placement& placement);

/// Warns of it.
void warn_of_offload(const LoadedProblem& loaded, const Placement& placement,
                     const Observer& observer);

}  // namespace placer

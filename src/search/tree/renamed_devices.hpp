#pragma once

#include <functional>

#include "placer/model/problem.hpp"

namespace placer {

/// Whether identical devices may change places in `placement` and no step time changes, under an
/// order in which ops do not depend on names. Only the order in which one tensor is sent to several
/// devices goes by their ids, and counts only where these transfers share channels.
bool is_renamable(const Problem& problem, const Placement& placement);

/// Shows `see` the placements in which identical devices that `placement` uses have changed places,
/// until it returns false: all those that can take another time. False where it has, or where there
/// are more than some hundred.
bool each_renamed(const Problem& problem, const Placement& placement,
                  const std::function<bool(const Placement&)>& see);

}  // namespace placer

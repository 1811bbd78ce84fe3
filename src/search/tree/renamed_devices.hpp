#pragma once

#include <functional>

#include "placer/model/problem.hpp"
#include "placer/search/search.hpp"

namespace placer {

/// Whether identical devices may change places in `placement` and no step time changes, under an
/// order in which ops do not depend on names. Only the order in which one tensor is sent to several
/// devices goes by their ids, and counts only where these transfers share channels.
bool is_renamable(const Problem& problem, const Placement& placement);

/// Shows `see` the placements in which identical devices have changed places, all that can take
/// another time than `placement`, until it returns false. False where it has, or where there are
/// more than some thousand.
bool each_renamed(const Problem& problem, const Placement& placement,
                  const std::function<bool(const Placement&)>& see);

/// Scores the placements in which identical devices have changed places, where they may take
/// another time than `placement` under the same `order`. False once the budget is spent, or where
/// there are too many.
bool evaluate_renamed(Search& search, const Placement& placement, const OpOrder& order = {});

}  // namespace placer

#pragma once

#include <optional>

#include "placer/search/search.hpp"

namespace placer {

/// Makes `placement` fit: moves groups off devices that hold too much to devices with room, first
/// those that lose least time for each byte that they take along, looks at the schedule again, and
/// so on until it fits or nothing has room. Returns the best that was scored, after about ten
/// evaluations; empty once the budget is spent.
std::optional<Candidate> repair_memory(Search& search, Placement placement);

}  // namespace placer

#pragma once

#include <optional>

#include "placer/search/search.hpp"

namespace placer {

/// Moves groups off devices that hold too much in the schedule of `placement` to devices with room,
/// first those that lose least time for each byte they take along, and looks at the schedule again,
/// until it fits or nothing has room. The best that was scored, at about ten evaluations; empty
/// once the budget is spent.
std::optional<Candidate> repair_memory(Search& search, Placement placement);

}  // namespace placer

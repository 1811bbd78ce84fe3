#pragma once

#include "placer/search/search.hpp"

namespace placer {

/// Scores what the prices of the bound by work, memory and paths suggest: lists (priced_lists.hpp)
/// where work or memory makes the step long, as prices do not see transfers, and packings
/// (memory_packing.hpp) where memory may bind. `is_tight`, where memory rules out what HEFT
/// proposes, does both again and again, as if more and more of what comes and goes were held
/// throughout. `is_busy`: the bound by work is far beyond that of paths.
void try_priced_starts(Search& search, bool is_tight, bool is_busy);

}  // namespace placer

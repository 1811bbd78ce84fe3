#pragma once

#include <optional>

#include "placer/search/search.hpp"

namespace placer {

/// Each group on one of its allowed devices, uniformly.
Placement random_placement(const Problem& problem, Rng& rng);

/// The best of: everything on one device (identical devices tried once), and, where no device may
/// hold everything, each group on the device that runs it fastest. Costs one evaluation for each;
/// empty once the budget is spent before the first.
std::optional<Placement> try_single_devices(Search& search);

/// Each group on the device that runs it fastest; the first of equals.
Placement fastest_devices(const Problem& problem);

}  // namespace placer

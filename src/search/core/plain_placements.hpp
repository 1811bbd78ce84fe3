#pragma once

#include <optional>
#include <span>

#include "placer/search/search.hpp"

namespace placer {

/// A random placement: each group on one of its allowed devices, all equally likely. Where the goal
/// asks for contiguity, a random pipeline instead, if one is found.
Placement random_placement(const Problem& problem, Rng& rng);

/// Scores the placements that have everything on one device, once for devices that are identical,
/// and, where no device may run everything, the one that has each group on the device that runs it
/// fastest. Returns the best of them; empty where the budget was spent before the first. Each takes
/// one evaluation.
std::optional<Placement> try_single_devices(Search& search);

/// How a learner begins: it tries single devices, so that no result is worse, unless the request
/// leaves that out. They are not among its own samples.
void begin_with_single_devices(Search& search);

/// Where `draw`, from 0 to 1, falls when `devices` stand side by side, each as wide as its share:
/// `shares` by device id, none below 0; all alike where they have none.
DeviceId device_at(std::span<const DeviceId> devices, std::span<const double> shares, double draw);

/// The placement that has each group on the device that runs it fastest, the first of equal ones.
Placement fastest_devices(const Problem& problem);

/// What needs no search and no simulation: everything on the device that takes the least time for
/// it, before those where not even the parameters fit; where no device may take everything, each
/// group on the device that runs it fastest.
Placement answer_at_hand(const Problem& problem);

}  // namespace placer

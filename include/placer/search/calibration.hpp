#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "placer/model/problem.hpp"
#include "placer/search/search.hpp"
#include "placer/sim/simulator.hpp"

namespace placer {

/// At most `count` placements that differ in what they show of devices and links, to be measured
/// for `fit_costs`: the best that a search finds are alike, and tell little of what they avoid. The
/// groups in the order of their first ops are cut at random into runs, of which the first placement
/// has one and the last as many as there are groups, rising geometrically, and each run goes to a
/// device drawn at random from those of its groups. Only placements that fit and end, each once, so
/// there may be fewer; of `order` `given` they have no order of their own. The same for one seed.
std::vector<Candidate> calibration_placements(const Problem& problem, Order order,
                                              std::size_t count, std::uint64_t seed);

}  // namespace placer

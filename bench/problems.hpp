#pragma once

#include <cstddef>

#include "placer/model/problem.hpp"

namespace placer::bench {

/// `ops` ops in layers of 8 on 4 identical devices; op (layer, column) reads one to three outputs
/// of the layer before, mostly of its own column. Times are 10 us to 1 ms, a tensor takes about as
/// long over a link. Drawn from a fixed seed.
Problem layered_problem(std::size_t ops, Contention contention);

/// Each quarter of the columns on a device of its own.
Placement columns_on_devices(const Problem& problem);

/// graphs/inception_v3.json on `4gpu`.
Problem inception_problem();

/// A device drawn for each group.
Placement random_placement(const Problem& problem, std::uint64_t seed);

}  // namespace placer::bench

#pragma once

#include <optional>

#include "placer/search/search.hpp"

namespace placer {

/// For graphs of repeated layers (`tie_repeats`) on several fast devices: all layers are placed
/// alike, but each starts from a device of its own, the layers going round the devices one by one,
/// in runs, or once along all of them as a pipeline. Starting with everything of a layer on its
/// device, parts of the layer go so and so many devices further on, found by annealing with the
/// whole budget. The best may hold more than the memory by a little if that is faster. Empty where
/// fewer layers than devices are alike, and once the budget is spent.
std::optional<Placement> best_layer_pattern(Search& search);

}  // namespace placer

#pragma once

#include <optional>

#include "placer/search/search.hpp"

namespace placer {

/// A placement for graphs of repeated layers (`tie_repeats`) on several fast devices. All layers
/// are placed alike, but each starts from a device of its own: the layers go round the devices one
/// by one, in runs, or once along all of them as a pipeline. At first everything of a layer is on
/// its device; then annealing with the whole budget finds which parts of a layer go how many
/// devices further on. The best may hold a little more than the memory where that is faster. Empty
/// where fewer layers than devices are alike, and once the budget is spent.
std::optional<Placement> best_layer_pattern(Search& search);

/// Scores the best layer pattern, and what does not fit in memory, made to fit.
void place_layers_alike(Search& search);

}  // namespace placer

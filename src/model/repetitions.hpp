#pragma once

#include <string>
#include <vector>

#include "placer/model/graph.hpp"

namespace placer {

/// By op, `repeat.0`, `repeat.1` and so on for the sequence of ops that repeats itself over the
/// most ops of the program order, at least half of them, cut where the fewest bytes cross. Empty
/// elsewhere. Ops are alike where their types, parameters, flops and outputs are.
std::vector<std::string> repetitions(const Graph& graph);

}  // namespace placer

#pragma once

#include <string>
#include <vector>

#include "model/zoo_layers.hpp"
#include "placer/model/graph.hpp"
#include "placer/model/zoo.hpp"

namespace placer {

/// The forward ops in the order of `layers`.
Graph inference_graph(const std::string& name, const std::vector<Layer>& layers,
                      Colocation colocation);
/// The forward ops, the backward ops in reverse, the updates. The last layer is the loss.
Graph training_graph(const std::string& name, const std::vector<Layer>& layers,
                     Colocation colocation);

}  // namespace placer

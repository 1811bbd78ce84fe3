#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/zoo/layers.hpp"

namespace placer {

/// For each layer, the last of which is the loss, whether gradients pass through it.
struct GradientPath {
  std::vector<char> needs;    // some parameter stands behind its output
  std::vector<char> reaches;  // its output matters to the loss

  explicit GradientPath(const std::vector<Layer>& layers);
};

/// A backward op's share of its layer's gradients.
struct Gradients {
  std::string suffix = "_backward";
  std::vector<LayerId> inputs;  // whose gradients it gives
  bool weights = false;         // and that of the weights
  std::vector<LayerId> stash;   // whose outputs it reads
  Work work;
};

/// The layer whose parameters this one uses; itself where it has its own; else nothing.
std::optional<LayerId> weights_of(const std::vector<Layer>& layers, LayerId layer);

/// The backward ops of a layer: one, or where the graph is fine one for each gradient of a product.
std::vector<Gradients> gradients_of(const std::vector<Layer>& layers, LayerId layer,
                                    const GradientPath& path, bool is_fine);

/// The op's flops and bytes, and where the layer's own op has measured times or may not go
/// everywhere, times in proportion and the same devices.
void set_backward_costs(Op& op, const Layer& layer, const Gradients& gradients);

}  // namespace placer

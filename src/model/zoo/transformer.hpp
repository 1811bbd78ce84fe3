#pragma once

#include <string>

#include "model/zoo/layers.hpp"

namespace placer {

/// The two parts of a transformer block (Vaswani et al. 2017), each without its norm and residual.
struct Block {
  std::int64_t width, heads;
  std::int64_t hidden;  // of the feed-forward part
  bool dropout = true;
};

/// `from` is batch x time x width. Products, softmax, weighted values, output product.
LayerId self_attention(LayerBuilder& net, const std::string& scope, LayerId from,
                       const Block& block);
/// Product, gelu, product.
LayerId feed_forward(LayerBuilder& net, const std::string& scope, LayerId from, const Block& block);

}  // namespace placer

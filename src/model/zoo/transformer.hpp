#pragma once

#include <string>

#include "model/zoo/layers.hpp"

namespace placer {

/// What an option says that gives the output product weights of its own.
inline constexpr const char* kUntied =
    "the output product has weights of its own, not the embedding's, so that stages of a pipeline "
    "can be cut between them";

/// The two parts of a transformer block (Vaswani et al. 2017), each without its norm and residual.
struct Block {
  std::int64_t width, heads;
  std::int64_t hidden;   // of the feed-forward part
  bool has_mask = true;  // where the graph is fine, masks are ops
  bool has_dropout = true;
};

/// `from` is batch x time x width: products, scores, softmax, weighted values, output product.
LayerId self_attention(LayerBuilder& net, const std::string& scope, LayerId from,
                       const Block& block);
/// The feed-forward part: a product, gelu, and another product.
LayerId feed_forward(LayerBuilder& net, const std::string& scope, LayerId from, const Block& block);
/// A block with its norms before its parts (GPT-2, ViT).
LayerId pre_norm_block(LayerBuilder& net, const std::string& scope, LayerId from,
                       const Block& block);
/// A block with its norms behind its sums (BERT).
LayerId post_norm_block(LayerBuilder& net, const std::string& scope, LayerId from,
                        const Block& block);

}  // namespace placer

#include "model/zoo/transformer.hpp"

namespace placer {
namespace {

LayerId dropped(LayerBuilder& net, const std::string& name, const std::string& scope, LayerId from,
                const Block& block) {
  return block.has_dropout ? net.dropout(name, scope, from) : from;
}

/// A product's output as batch x heads x time x head width.
LayerId heads(LayerBuilder& net, const std::string& scope, LayerId from, const Block& block) {
  const LayerId product = net.linear(scope, from, block.width);
  const std::int64_t batch = net.at(from).shape[0], time = net.at(from).shape[1];
  return net.view(scope + "/heads", scope, product,
                  {batch, block.heads, time, block.width / block.heads});
}

/// Softmax of the scaled and masked scores; scale and mask are folded into it unless the graph is
/// fine.
LayerId attention_weights(LayerBuilder& net, const std::string& part, LayerId scores,
                          const Block& block) {
  if (net.is_fine()) {
    const auto like_scores = [&](const char* name, const char* type) {
      const double bytes = 2 * traffic(net.at(scores));
      scores = net.custom(part + name, type, part, {scores}, net.at(scores).shape,
                          {count(net.at(scores)), bytes});
    };
    like_scores("/scale", "scale");
    if (block.has_mask) like_scores("/mask", "mask");
  }
  const LayerId weights = net.softmax(part + "/softmax", part, scores);
  return dropped(net, part + "/dropout", part, weights, block);
}

}  // namespace

LayerId self_attention(LayerBuilder& net, const std::string& scope, LayerId from,
                       const Block& block) {
  const std::int64_t batch = net.at(from).shape[0], time = net.at(from).shape[1];
  const std::int64_t head_width = block.width / block.heads;
  const LayerId query = heads(net, scope + "/query", from, block);
  const LayerId key = heads(net, scope + "/key", from, block);
  const LayerId value = heads(net, scope + "/value", from, block);
  const std::string part = scope + "/heads";
  const LayerId scores = net.batch_matmul(part + "/scores", part, query, key,
                                          {batch, block.heads, time, time}, head_width);
  const LayerId weights = attention_weights(net, part, scores, block);
  LayerId values = net.batch_matmul(part + "/values", part, weights, value,
                                    {batch, block.heads, time, head_width}, time);
  values = net.view(part + "/joined", part, values, {batch, time, block.width});
  const LayerId output = net.linear(scope + "/output", values, block.width);
  return dropped(net, scope + "/output/dropout", scope + "/output", output, block);
}

LayerId feed_forward(LayerBuilder& net, const std::string& scope, LayerId from,
                     const Block& block) {
  LayerId x = net.linear(scope + "/up", from, block.hidden);
  x = net.gelu(scope + "/up/gelu", scope + "/up", x);
  x = net.linear(scope + "/down", x, block.width);
  return dropped(net, scope + "/down/dropout", scope + "/down", x, block);
}

LayerId pre_norm_block(LayerBuilder& net, const std::string& scope, LayerId from,
                       const Block& block) {
  net.set_block(scope);
  LayerId part = net.layer_norm(scope + "/norm1", from);
  part = self_attention(net, scope + "/attention", part, block);
  const LayerId x = net.add(scope + "/attention_sum", from, part);
  part = net.layer_norm(scope + "/norm2", x);
  part = feed_forward(net, scope + "/feed_forward", part, block);
  const LayerId output = net.add(scope + "/feed_forward_sum", x, part);
  net.set_block("");
  return output;
}

LayerId post_norm_block(LayerBuilder& net, const std::string& scope, LayerId from,
                        const Block& block) {
  net.set_block(scope);
  LayerId part = self_attention(net, scope + "/attention", from, block);
  const LayerId x = net.layer_norm(scope + "/norm1", net.add(scope + "/attention_sum", from, part));
  part = feed_forward(net, scope + "/feed_forward", x, block);
  const LayerId output =
      net.layer_norm(scope + "/norm2", net.add(scope + "/feed_forward_sum", x, part));
  net.set_block("");
  return output;
}

}  // namespace placer

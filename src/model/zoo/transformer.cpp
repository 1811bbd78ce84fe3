#include "model/zoo/transformer.hpp"

namespace placer {
namespace {

LayerId dropped(LayerBuilder& net, const std::string& name, LayerId from, const Block& block) {
  return block.dropout ? net.dropout(name, from) : from;
}

}  // namespace

LayerId self_attention(LayerBuilder& net, const std::string& scope, LayerId from,
                       const Block& block) {
  const std::int64_t batch = net.at(from).shape[0], time = net.at(from).shape[1];
  const std::int64_t head_width = block.width / block.heads;
  const LayerId query = net.linear(scope + "/query", from, block.width);
  const LayerId key = net.linear(scope + "/key", from, block.width);
  const LayerId value = net.linear(scope + "/value", from, block.width);
  const LayerId scores = net.batch_matmul(scope + "/scores", scope + "/heads", query, key,
                                          {batch, block.heads, time, time}, head_width);
  LayerId weights = net.softmax(scope + "/softmax", scope + "/heads", scores);
  if (block.dropout) weights = net.dropout(scope + "/weights_dropout", scope + "/heads", weights);
  const LayerId values = net.batch_matmul(scope + "/values", scope + "/heads", weights, value,
                                          {batch, time, block.width}, time);
  const LayerId output = net.linear(scope + "/output", values, block.width);
  return dropped(net, scope + "/dropout", output, block);
}

LayerId feed_forward(LayerBuilder& net, const std::string& scope, LayerId from,
                     const Block& block) {
  LayerId x = net.linear(scope + "/up", from, block.hidden);
  x = net.gelu(scope + "/up/gelu", scope + "/up", x);
  return dropped(net, scope + "/dropout", net.linear(scope + "/down", x, block.width), block);
}

}  // namespace placer

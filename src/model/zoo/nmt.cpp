// Neural machine translation as Wu et al. build it, Google's Neural Machine Translation System
// (arXiv:1609.08144), and the placement papers train it: LSTM layers of an encoder and a decoder
// unrolled over the time steps; dot attention of the first decoder layer feeds the others.
#include "model/zoo/network.hpp"
#include "model/zoo/recurrent.hpp"

namespace placer {
namespace {

struct Options : StepOptions {
  std::int64_t layers = 2;
  std::int64_t hidden = 1024;
  std::int64_t tokens = 40;
  std::int64_t vocabulary = 32'000;
};

constexpr auto kRows = network_rows<Options>(
    option("layers", &Options::layers, 1, 1000, "LSTM layers of the encoder, and of the decoder"),
    option("hidden", &Options::hidden, 1, 65'536, "units of a layer, and width of the embeddings"),
    option("tokens", &Options::tokens, 1, 10'000, "time steps of either side"),
    option("vocabulary", &Options::vocabulary, 1, 10'000'000, "words of either language"));
static_assert(kRows.size() == network_option_count<Options>);

std::vector<LayerId> embedded(LayerBuilder& net, const std::string& side, const Options& options) {
  const LayerId tokens = net.ids(side + "/tokens", {net.batch(), options.tokens});
  LayerId x = net.embedding(side + "/embedding", tokens, options.vocabulary, options.hidden);
  x = net.dropout(side + "/dropout", x);
  return net.unstack(side + "/steps", side + "/steps", x);
}

std::vector<LayerId> encode(LayerBuilder& net, const Options& options) {
  std::vector<LayerId> steps = embedded(net, "encoder", options);
  for (std::int64_t i = 0; i < options.layers; ++i) {
    steps = lstm_layer(net, "encoder/layer" + std::to_string(i), steps, options.hidden);
  }
  return steps;
}

/// What each step of the first decoder layer draws from the encoder's `memory`.
std::vector<LayerId> attend(LayerBuilder& net, const std::vector<LayerId>& steps, LayerId memory,
                            const Options& options) {
  const std::int64_t batch = net.batch(), hidden = options.hidden;
  const std::string scope = "decoder/attention";
  std::vector<LayerId> contexts;
  for (std::size_t t = 0; t < steps.size(); ++t) {
    const std::string name = scope + "/step" + std::to_string(t);
    const LayerId scores = net.batch_matmul(name + "/scores", scope, steps[t], memory,
                                            {batch, options.tokens}, hidden);
    const LayerId weights = net.softmax(name + "/softmax", scope, scores);
    contexts.push_back(net.batch_matmul(name + "/context", scope, weights, memory, {batch, hidden},
                                        options.tokens));
  }
  return contexts;
}

std::vector<LayerId> decode(LayerBuilder& net, LayerId memory, const Options& options) {
  const std::int64_t hidden = options.hidden;
  std::vector<LayerId> steps = embedded(net, "decoder", options);
  steps = lstm_layer(net, "decoder/layer0", steps, hidden);
  const std::vector<LayerId> contexts = attend(net, steps, memory, options);
  for (std::int64_t i = 1; i < options.layers; ++i) {
    const std::string scope = "decoder/layer" + std::to_string(i);
    for (std::size_t t = 0; t < steps.size(); ++t) {
      const std::string name = scope + "/step" + std::to_string(t) + "/input";
      steps[t] = net.join(name, scope, steps[t], contexts[t]);
    }
    steps = lstm_layer(net, scope, steps, hidden);
  }
  return steps;
}

void build(const Options& options, LayerBuilder& net) {
  net.set_name("nmt_" + std::to_string(options.layers) + "_layers");
  const LayerId memory = net.stack("encoder/memory", "encoder/memory", encode(net, options));
  const LayerId outputs =
      net.stack("decoder/outputs", "decoder/outputs", decode(net, memory, options));
  net.loss("loss", net.linear("logits", outputs, options.vocabulary));
}

}  // namespace

Model nmt() {
  return make_network("a translation model of LSTM layers with attention", "Wu et al. 2016", kRows,
                      build);
}

}  // namespace placer

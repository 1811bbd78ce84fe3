// The recurrent language model of Jozefowicz et al., Exploring the Limits of Language Modeling
// (arXiv:1602.02410), as the placement papers train it: LSTM layers unrolled over the time steps.
#include "model/zoo/network.hpp"
#include "model/zoo/recurrent.hpp"

namespace placer {
namespace {

struct Options : StepOptions {
  std::int64_t layers = 2;
  std::int64_t hidden = 2048;
  std::int64_t tokens = 40;
  std::int64_t vocabulary = 10'000;
};

constexpr auto kRows = network_rows<Options>(
    option("layers", &Options::layers, 1, 1000, "LSTM layers"),
    option("hidden", &Options::hidden, 1, 65'536, "units of a layer, and width of the embedding"),
    option("tokens", &Options::tokens, 1, 10'000, "time steps of a sample"),
    option("vocabulary", &Options::vocabulary, 1, 10'000'000, "words"));
static_assert(kRows.size() == network_option_count<Options>);

void build(const Options& options, LayerBuilder& net) {
  const LayerId tokens = net.ids("tokens", {net.batch(), options.tokens});
  LayerId x = net.embedding("embedding", tokens, options.vocabulary, options.hidden);
  std::vector<LayerId> steps = net.unstack("steps", "steps", net.dropout("dropout", x));
  for (std::int64_t i = 0; i < options.layers; ++i) {
    steps = lstm_layer(net, "layer" + std::to_string(i), steps, options.hidden);
  }
  x = net.stack("outputs", "outputs", steps);
  net.loss("loss", net.linear("logits", x, options.vocabulary));
}

}  // namespace

Model rnnlm() {
  return make_network("an LSTM language model", "Jozefowicz et al. 2016", kRows, build);
}

}  // namespace placer

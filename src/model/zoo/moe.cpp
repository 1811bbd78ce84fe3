// A decoder-only transformer with a mixture of experts in every second block: Fedus et al., Switch
// Transformers (arXiv:2101.03961), and Lepikhin et al., GShard (arXiv:2006.16668).
#include <cmath>

#include "model/zoo/network.hpp"
#include "model/zoo/transformer.hpp"
#include "placer/base/errors.hpp"

namespace placer {
namespace {

struct Options : StepOptions {
  std::int64_t layers = 12;
  std::int64_t width = 768;
  std::int64_t experts = 8;
  std::int64_t chosen = 2;
  double capacity = 1.25;
  std::int64_t tokens = 512;
};

constexpr auto kRows = network_rows<Options>(
    option("layers", &Options::layers, 1, 10'000, "blocks"),
    option("width", &Options::width, 64, 65'536, "of the model, in heads of 64"),
    option("experts", &Options::experts, 1, 1024, "of each second block"),
    option("chosen", &Options::chosen, 1, 1024, "experts of a token"),
    option("capacity", &Options::capacity, 0.1, 10,
           "rows of an expert over its even share of the tokens"),
    option("tokens", &Options::tokens, 1, 65'536, "of a sample"));
static_assert(kRows.size() == network_option_count<Options>);

constexpr std::int64_t kVocabulary = 32'000, kHeadWidth = 64;

LayerId expert(LayerBuilder& net, const std::string& scope, LayerId rows, std::int64_t width) {
  LayerId x = net.linear(scope + "/up", rows, 4 * width);
  x = net.gelu(scope + "/up/gelu", scope + "/up", x);
  return net.linear(scope + "/down", x, width);
}

LayerId mixture(LayerBuilder& net, const std::string& scope, LayerId from, const Options& options) {
  const std::string router = scope + "/router";
  LayerId gates = net.linear(router, from, options.experts, false);
  gates = net.softmax(router + "/softmax", router, gates);
  const double rows = static_cast<double>(net.batch() * options.tokens * options.chosen) /
                      static_cast<double>(options.experts);
  const std::int64_t capacity = std::llround(std::ceil(rows * options.capacity));
  std::vector<LayerId> parts =
      net.dispatch(scope + "/dispatch", router, from, gates, options.experts, capacity);
  for (std::size_t k = 0; k < parts.size(); ++k) {
    net.set_block(scope + "/expert" + std::to_string(k));
    parts[k] = expert(net, scope + "/expert" + std::to_string(k), parts[k], options.width);
  }
  net.set_block(scope + "/combine");
  return net.combine(scope + "/combine", scope + "/combine", parts, gates, net.at(from).shape);
}

/// The norm and attention of `pre_norm_block`, then the mixture; an op for each expert under
/// `--ops layer`.
LayerId mixture_block(LayerBuilder& net, const std::string& scope, LayerId from, const Block& block,
                      const Options& options) {
  net.set_block(scope + "/attention");
  LayerId part = net.layer_norm(scope + "/norm1", from);
  part = self_attention(net, scope + "/attention", part, block);
  const LayerId x = net.add(scope + "/attention_sum", from, part);
  net.set_block(scope + "/router");
  part = net.layer_norm(scope + "/norm2", x);
  part = mixture(net, scope + "/mixture", part, options);
  const LayerId output = net.add(scope + "/mixture_sum", x, part);
  net.set_block("");
  return output;
}

void build(const Options& options, LayerBuilder& net) {
  if (options.width % kHeadWidth != 0) {
    throw Error("option width: expected a multiple of 64, found " + std::to_string(options.width));
  }
  if (options.chosen > options.experts) {
    throw Error("option chosen: expected at most the " + std::to_string(options.experts) +
                " experts, found " + std::to_string(options.chosen));
  }
  const LayerId tokens = net.ids("tokens", {net.batch(), options.tokens});
  const LayerId words = net.embedding("word_embedding", tokens, kVocabulary, options.width);
  LayerId x =
      net.dropout("dropout", net.add_positions("position_embedding", words, options.tokens));
  const Block block{
      .width = options.width, .heads = options.width / kHeadWidth, .hidden = 4 * options.width};
  for (std::int64_t i = 0; i < options.layers; ++i) {
    const std::string scope = "block" + std::to_string(i);
    x = i % 2 == 0 ? pre_norm_block(net, scope, x, block)
                   : mixture_block(net, scope, x, block, options);
  }
  net.loss("loss", net.tied_linear("logits", net.layer_norm("final_norm", x), words));
}

}  // namespace

Model moe() {
  return make_network("a transformer with a mixture of experts in every second block",
                      "Fedus et al. 2021", kRows, build);
}

}  // namespace placer

// GPT-2 of Radford et al., Language Models are Unsupervised Multitask Learners (2019): blocks with
// the norm before each part, learnt positions, and an output product tied to the embedding.
#include <array>

#include "model/zoo/network.hpp"
#include "model/zoo/transformer.hpp"

namespace placer {
namespace {

struct Size {
  std::string_view name;
  std::int64_t layers, width, heads;
};
constexpr std::array kSizes = std::to_array<Size>({{"small", 12, 768, 12},
                                                   {"medium", 24, 1024, 16},
                                                   {"large", 36, 1280, 20},
                                                   {"xl", 48, 1600, 25}});

struct Options : StepOptions {
  TableRow<kSizes> size;
  std::int64_t layers = 0;
  std::int64_t tokens = 1024;
  bool untied = false;
};

constexpr auto kRows = network_rows<Options>(
    option<&Options::size>("size", "124, 355, 774 or 1558 million weights"),
    option("layers", &Options::layers, 0, 20'000, "blocks; 0 for those of the size"),
    option("tokens", &Options::tokens, 1, 1024, "of a sample"),
    option("untied", &Options::untied, kUntied));
static_assert(kRows.size() == network_option_count<Options>);

constexpr std::int64_t kVocabulary = 50'257, kPositions = 1024;

void build(const Options& options, LayerBuilder& net) {
  const Size& size = *options.size;
  const std::int64_t layers = options.layers > 0 ? options.layers : size.layers;
  net.set_name(options.layers > 0
                   ? "gpt2_" + name_of(options.size) + "_" + std::to_string(layers) + "_layers"
                   : "gpt2_" + name_of(options.size));
  const LayerId tokens = net.ids("tokens", {net.batch(), options.tokens});
  const LayerId words = net.embedding("word_embedding", tokens, kVocabulary, size.width);
  LayerId x = net.dropout("dropout", net.add_positions("position_embedding", words, kPositions));
  const Block block{.width = size.width, .heads = size.heads, .hidden = 4 * size.width};
  for (std::int64_t i = 0; i < layers; ++i) {
    x = pre_norm_block(net, "block" + std::to_string(i), x, block);
  }
  x = net.layer_norm("final_norm", x);
  net.loss("loss", options.untied ? net.linear("logits", x, kVocabulary, false)
                                  : net.tied_linear("logits", x, words));
}

}  // namespace

Model gpt2() {
  return make_network("GPT-2, a decoder-only transformer", "Radford et al. 2019", kRows, build);
}

}  // namespace placer

// BERT of Devlin et al., BERT: Pre-training of Deep Bidirectional Transformers (arXiv:1810.04805).
// Inference ends with the pooler, training with the masked-word head at every position.
#include <array>

#include "model/zoo/network.hpp"
#include "model/zoo/transformer.hpp"

namespace placer {
namespace {

struct Size {
  std::string_view name;
  std::int64_t layers, width, heads;
};
constexpr std::array kSizes = std::to_array<Size>({{"base", 12, 768, 12}, {"large", 24, 1024, 16}});

struct Options : StepOptions {
  TableRow<kSizes> size;
  std::int64_t layers = 0;
  std::int64_t tokens = 128;
  bool untied = false;
};

constexpr auto kRows = network_rows<Options>(
    option<&Options::size>("size", "110 or 335 million weights"),
    option("layers", &Options::layers, 0, 20'000, "blocks; 0 for those of the size"),
    option("tokens", &Options::tokens, 1, 512, "of a sample"),
    option("untied", &Options::untied, kUntied));
static_assert(kRows.size() == network_option_count<Options>);

constexpr std::int64_t kVocabulary = 30'522, kPositions = 512, kSegments = 2;

LayerId embeddings(LayerBuilder& net, LayerId words, LayerId tokens, std::int64_t width) {
  const LayerId segment_ids = net.ids("segments", net.at(tokens).shape);
  const LayerId segments = net.embedding("segment_embedding", segment_ids, kSegments, width);
  LayerId x = net.add("embedding_sum", words, segments);
  x = net.add_positions("position_embedding", x, kPositions);
  return net.dropout("embedding_dropout", net.layer_norm("embedding_norm", x));
}

void build(const Options& options, LayerBuilder& net) {
  const Size& size = *options.size;
  const std::int64_t layers = options.layers > 0 ? options.layers : size.layers;
  net.set_name("bert_" + name_of(options.size) +
               (options.layers > 0 ? "_" + std::to_string(layers) + "_layers" : ""));
  const LayerId tokens = net.ids("tokens", {net.batch(), options.tokens});
  const LayerId words = net.embedding("word_embedding", tokens, kVocabulary, size.width);
  LayerId x = embeddings(net, words, tokens, size.width);
  const Block block{.width = size.width, .heads = size.heads, .hidden = 4 * size.width};
  for (std::int64_t i = 0; i < layers; ++i) {
    x = post_norm_block(net, "block" + std::to_string(i), x, block);
  }
  if (!net.is_training()) {
    x = net.linear("pooler", net.first_of("pooler/first", "pooler", x), size.width);
    net.tanh("pooler/tanh", "pooler", x);
    return;
  }
  x = net.gelu("head/gelu", "head", net.linear("head", x, size.width));
  x = net.layer_norm("head_norm", x);
  x = options.untied ? net.linear("logits", x, kVocabulary, false)
                     : net.tied_linear("logits", x, words);
  net.loss("loss", net.bias("logits/bias", "logits", x, kVocabulary));
}

}  // namespace

Model bert() {
  return make_network("BERT, a bidirectional transformer", "Devlin et al. 2018", kRows, build);
}

}  // namespace placer

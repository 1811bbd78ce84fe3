// One decode step of a Llama model (Touvron et al., arXiv:2307.09288): one new token for each
// sample, in fp16, against a key-value cache that stays on its block's device.
#include <algorithm>
#include <array>

#include "model/zoo/network.hpp"

namespace placer {
namespace {

struct Size {
  std::string_view name;
  std::int64_t layers, width, heads, cache_heads, hidden, vocabulary;
};
constexpr std::array kSizes = std::to_array<Size>({{"7b", 32, 4096, 32, 32, 11'008, 32'000},
                                                   {"8b", 32, 4096, 32, 8, 14'336, 128'256},
                                                   {"13b", 40, 5120, 40, 40, 13'824, 32'000},
                                                   {"70b", 80, 8192, 64, 8, 28'672, 32'000}});

struct Options {
  TableRow<kSizes> size;
  std::int64_t layers = 0;
  std::int64_t batch = 8;
  std::int64_t context = 2048;
  Detail ops = Detail::kOp;
};

constexpr std::array kRows = {
    option<&Options::size>("size", "Llama 2 7B, Llama 3 8B, Llama 2 13B or 70B"),
    option("layers", &Options::layers, 0, 20'000, "blocks; 0 for those of the size"),
    option("batch", &Options::batch, 1, kMostBatch, "samples that each get one token"),
    option("context", &Options::context, 1, 10'000'000, "tokens in the cache, for each sample"),
    option<&Options::ops>(
        "ops", "an op for each block, each op as papers count, or weights and views as well"),
};
static_assert(kRows.size() == member_count<Options>);

/// Scores or weighted values against one half of the cache, which its `fresh` row has joined.
LayerId against_cache(LayerBuilder& net, const std::string& name, const std::string& part,
                      LayerId from, LayerId fresh, std::vector<std::int64_t> cache_shape,
                      std::vector<std::int64_t> shape, std::int64_t inner) {
  const LayerId cache = net.state(name + "/cache", part, std::move(cache_shape));
  const LayerId joined = net.custom(name + "/append", "cache_append", part, {cache, fresh},
                                    net.at(fresh).shape, {0, 2 * traffic(net.at(fresh))});
  const auto outputs = static_cast<double>(elements(shape));
  const double bytes = traffic(net.at(from)) + traffic(net.at(cache)) + outputs * 2;
  return net.custom(name, "batch_matmul", part, {from, cache, joined}, std::move(shape),
                    {product_flops(outputs, static_cast<double>(inner)), bytes});
}

LayerId attention(LayerBuilder& net, const std::string& scope, LayerId from, const Size& size,
                  std::int64_t context) {
  const std::int64_t batch = net.batch(), head_width = size.width / size.heads;
  const std::int64_t cache_width = size.cache_heads * head_width;
  const std::string part = scope + "/heads";
  const LayerId query = net.rotate(scope + "/query/rotary", scope + "/query",
                                   net.linear(scope + "/query", from, size.width, false));
  const LayerId key = net.rotate(scope + "/key/rotary", scope + "/key",
                                 net.linear(scope + "/key", from, cache_width, false));
  const LayerId value = net.linear(scope + "/value", from, cache_width, false);
  const std::vector<std::int64_t> cache = {batch, size.cache_heads, context, head_width};
  LayerId x = against_cache(net, part + "/scores", part, query, key, cache,
                            {batch, size.heads, 1, context}, head_width);
  x = net.softmax(part + "/softmax", part, x);
  x = against_cache(net, part + "/values", part, x, value, cache, {batch, 1, size.width}, context);
  return net.linear(scope + "/output", x, size.width, false);
}

LayerId feed_forward(LayerBuilder& net, const std::string& scope, LayerId from, const Size& size) {
  const std::string gate = scope + "/gate";
  LayerId x = net.silu(gate + "/silu", gate, net.linear(gate, from, size.hidden, false));
  x = net.mul(scope + "/up/mul", scope + "/up", x,
              net.linear(scope + "/up", from, size.hidden, false));
  return net.linear(scope + "/down", x, size.width, false);
}

GeneratedGraph generate_decode(const std::string& name, const Options& options) {
  const Size& size = *options.size;
  LayerBuilder net(
      {.batch = options.batch, .fine = options.ops == Detail::kFine, .dtype = "float16"});
  net.set_name(name + "_" + name_of(options.size));
  const LayerId tokens = net.ids("tokens", {net.batch(), 1});
  LayerId x = net.embedding("embedding", tokens, size.vocabulary, size.width);
  for (std::int64_t i = 0; i < (options.layers > 0 ? options.layers : size.layers); ++i) {
    const std::string scope = "block" + std::to_string(i);
    net.set_block(scope);
    LayerId part = net.rms_norm(scope + "/norm1", x);
    part = attention(net, scope + "/attention", part, size, options.context);
    x = net.add(scope + "/attention_sum", x, part);
    part = feed_forward(net, scope + "/feed_forward", net.rms_norm(scope + "/norm2", x), size);
    x = net.add(scope + "/feed_forward_sum", x, part);
  }
  net.set_block("");
  net.linear("logits", net.rms_norm("final_norm", x), size.vocabulary, false);
  StepOptions step;
  step.inference = true;
  step.ops = options.ops;
  return step_graph(name, net, step);
}

}  // namespace

Model llm_decode() {
  Model model = make_model("a decode step of a Llama model with its key-value cache",
                           "Touvron et al. 2023", kRows, generate_decode);
  model.decodes = true;
  return model;
}

}  // namespace placer

// Vision Transformer of Dosovitskiy et al., An Image is Worth 16x16 Words (arXiv:2010.11929), on
// 224 x 224 images, without dropout.
#include <algorithm>
#include <array>

#include "model/zoo/network.hpp"
#include "model/zoo/transformer.hpp"

namespace placer {
namespace {

struct Size {
  std::string_view name;
  std::int64_t layers, width, heads, patch;
};
constexpr std::array kSizes = std::to_array<Size>(
    {{"b16", 12, 768, 12, 16}, {"b32", 12, 768, 12, 32}, {"l16", 24, 1024, 16, 16}});

struct Options : StepOptions {
  TableRow<kSizes> size;
};

constexpr auto kRows = network_rows<Options>(
    option<&Options::size>("size", "base or large, in patches of 16 or 32 pixels"));
static_assert(kRows.size() == network_option_count<Options>);

void build(const Options& options, LayerBuilder& net) {
  const Size& size = *options.size;
  net.set_name("vit_" + name_of(options.size));
  const LayerId image = net.input(3, 224, 224);
  LayerId x =
      net.conv("patches/conv", "patches", image, size.width, square(size.patch, size.patch));
  x = net.bias("patches/bias", "patches", x, size.width);
  const std::int64_t patches = net.at(x).shape[2] * net.at(x).shape[3];
  x = net.view("patches/flat", "patches", x, {net.batch(), patches, size.width});
  x = net.prepend_token("class_token", x);
  x = net.add_positions("position_embedding", x, patches + 1);
  const Block block{.width = size.width,
                    .heads = size.heads,
                    .hidden = 4 * size.width,
                    .has_mask = false,
                    .has_dropout = false};
  for (std::int64_t i = 0; i < size.layers; ++i) {
    x = pre_norm_block(net, "block" + std::to_string(i), x, block);
  }
  x = net.first_of("class", "class", net.layer_norm("final_norm", x));
  net.loss("loss", net.linear("head", x, 1000));
}

}  // namespace

Model vit() { return make_network("Vision Transformer", "Dosovitskiy et al. 2020", kRows, build); }

}  // namespace placer

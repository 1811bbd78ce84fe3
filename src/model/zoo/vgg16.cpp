// VGG-16 (configuration D) of Simonyan and Zisserman, Very Deep Convolutional Networks for
// Large-Scale Image Recognition (arXiv:1409.1556).
#include "model/zoo/network.hpp"

namespace placer {
namespace {

void build(const StepOptions&, LayerBuilder& net) {
  constexpr std::array<std::int64_t, 5> kConvolutions = {2, 2, 3, 3, 3};
  constexpr std::array<std::int64_t, 5> kChannels = {64, 128, 256, 512, 512};
  net.save_pool_indices();
  LayerId x = net.input(3, 224, 224);
  for (std::size_t s = 0; s < 5; ++s) {
    const std::string stage = std::to_string(s + 1);
    for (std::int64_t c = 1; c <= kConvolutions[s]; ++c) {
      const std::string scope = "conv" + stage + "_" + std::to_string(c);
      x = net.conv_bias_relu(scope, x, kChannels[s], square(3, 1, 1));
    }
    x = net.max_pool("pool" + stage, x, square(2, 2));
  }
  for (const std::string scope : {"fc6", "fc7"}) {
    x = net.relu(scope + "/relu", scope, net.fully_connected(scope, x, 4096));
    x = net.dropout(scope + "/dropout", scope, x);
  }
  net.loss("loss", net.fully_connected("fc8", x, 1000));
}

}  // namespace

Model vgg16() {
  return make_network("VGG-16 on 224 x 224 images", "Simonyan, Zisserman 2014", kNetworkRows,
                      build);
}

}  // namespace placer

// ResNet-50, 101 and 152 of He et al., Deep Residual Learning for Image Recognition
// (arXiv:1512.03385), as trained today ("v1.5"): a stage's stride is in its first 3x3 convolution.
#include <array>

#include "model/zoo/network.hpp"

namespace placer {
namespace {

using Blocks = std::array<std::int64_t, 4>;  // of each stage

LayerId bottleneck(LayerBuilder& net, const std::string& scope, LayerId from, std::int64_t width,
                   std::int64_t stride, bool project) {
  LayerId x = net.conv_bn_relu(scope + "/conv1", from, width, square(1));
  x = net.conv_bn_relu(scope + "/conv2", x, width, square(3, stride, 1));
  x = net.conv_bn(scope + "/conv3", x, 4 * width, square(1));
  const LayerId shortcut =
      project ? net.conv_bn(scope + "/shortcut", from, 4 * width, square(1, stride)) : from;
  const LayerId sum = net.add(scope + "/add", x, shortcut);
  return net.relu(scope + "/relu", scope + "/add", sum);
}

template <Blocks kBlocks>
void build(const StepOptions&, LayerBuilder& net) {
  LayerId x = net.conv_bn_relu("conv1", net.input(3, 224, 224), 64, square(7, 2, 3));
  x = net.max_pool("max_pool", x, square(3, 2, 1));
  for (std::size_t s = 0; s < kBlocks.size(); ++s) {
    for (std::int64_t b = 0; b < kBlocks[s]; ++b) {
      const std::string scope = "layer" + std::to_string(s + 1) + "_" + std::to_string(b);
      const bool is_first = b == 0;
      x = bottleneck(net, scope, x, std::int64_t{64} << s, is_first && s > 0 ? 2 : 1, is_first);
    }
  }
  x = net.global_avg_pool("avg_pool", x);
  net.loss("loss", net.fully_connected("fc", x, 1000));
}

Model resnet(std::string depth, void (*build_it)(const StepOptions&, LayerBuilder&)) {
  return make_network("ResNet-" + depth + " v1.5 on 224 x 224 images", "He et al. 2015",
                      kNetworkRows, build_it);
}

}  // namespace

Model resnet50() { return resnet("50", build<Blocks{3, 4, 6, 3}>); }
Model resnet101() { return resnet("101", build<Blocks{3, 4, 23, 3}>); }
Model resnet152() { return resnet("152", build<Blocks{3, 8, 36, 3}>); }

}  // namespace placer

// ResNet-50 of He et al., Deep Residual Learning for Image Recognition (arXiv:1512.03385), as
// trained today ("v1.5"): a stage's stride is in its first 3x3 convolution.
#include <array>

#include "model/zoo/network.hpp"

namespace placer {
namespace {

struct Stage {
  std::int64_t blocks, width, stride;
};

constexpr std::array kStages =
    std::to_array<Stage>({{3, 64, 1}, {4, 128, 2}, {6, 256, 2}, {3, 512, 2}});

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

void build(const StepOptions&, LayerBuilder& net) {
  LayerId x = net.conv_bn_relu("conv1", net.input(3, 224, 224), 64, square(7, 2, 3));
  x = net.max_pool("max_pool", x, square(3, 2, 1));
  for (std::size_t s = 0; s < kStages.size(); ++s) {
    for (std::int64_t b = 0; b < kStages[s].blocks; ++b) {
      const std::string scope = "layer" + std::to_string(s + 1) + "_" + std::to_string(b);
      x = bottleneck(net, scope, x, kStages[s].width, b == 0 ? kStages[s].stride : 1, b == 0);
    }
  }
  x = net.global_avg_pool("avg_pool", x);
  net.loss("loss", net.fully_connected("fc", x, 1000));
}

}  // namespace

Model resnet50() {
  return make_network("ResNet-50 v1.5 on 224 x 224 images", "He et al. 2015", kNetworkRows, build);
}

}  // namespace placer

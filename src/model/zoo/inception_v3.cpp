// Inception-V3 of Szegedy et al., Rethinking the Inception Architecture for Computer Vision
// (arXiv:1512.00567), for 299 x 299 images, without the auxiliary classifier.
#include "model/zoo/network.hpp"

namespace placer {
namespace {

constexpr Window row(std::int64_t size) { return {1, size, 1, 0, size / 2}; }
constexpr Window column(std::int64_t size) { return {size, 1, 1, size / 2, 0}; }

LayerId stem(LayerBuilder& net, LayerId x) {
  x = net.conv_bn_relu("conv_1a", x, 32, square(3, 2));
  x = net.conv_bn_relu("conv_2a", x, 32, square(3));
  x = net.conv_bn_relu("conv_2b", x, 64, square(3, 1, 1));
  x = net.max_pool("max_pool_3a", x, square(3, 2));
  x = net.conv_bn_relu("conv_3b", x, 80, square(1));
  x = net.conv_bn_relu("conv_4a", x, 192, square(3));
  return net.max_pool("max_pool_5a", x, square(3, 2));
}

LayerId pooled_branch(LayerBuilder& net, const std::string& scope, LayerId from,
                      std::int64_t channels) {
  const LayerId pool = net.avg_pool(scope + "/avg_pool", from, square(3, 1, 1));
  return net.conv_bn_relu(scope + "/branch_pool", pool, channels, square(1));
}

/// 35 x 35: 1x1, 5x5, two 3x3, pool.
LayerId block_35(LayerBuilder& net, const std::string& scope, LayerId from,
                 std::int64_t pool_channels) {
  const LayerId a = net.conv_bn_relu(scope + "/branch1x1", from, 64, square(1));
  LayerId b = net.conv_bn_relu(scope + "/branch5x5_1", from, 48, square(1));
  b = net.conv_bn_relu(scope + "/branch5x5_2", b, 64, square(5, 1, 2));
  LayerId c = net.conv_bn_relu(scope + "/branch3x3dbl_1", from, 64, square(1));
  c = net.conv_bn_relu(scope + "/branch3x3dbl_2", c, 96, square(3, 1, 1));
  c = net.conv_bn_relu(scope + "/branch3x3dbl_3", c, 96, square(3, 1, 1));
  const LayerId d = pooled_branch(net, scope, from, pool_channels);
  return net.concat(scope + "/concat", {a, b, c, d});
}

/// 35 x 35 to 17 x 17.
LayerId reduction_17(LayerBuilder& net, const std::string& scope, LayerId from) {
  const LayerId a = net.conv_bn_relu(scope + "/branch3x3", from, 384, square(3, 2));
  LayerId b = net.conv_bn_relu(scope + "/branch3x3dbl_1", from, 64, square(1));
  b = net.conv_bn_relu(scope + "/branch3x3dbl_2", b, 96, square(3, 1, 1));
  b = net.conv_bn_relu(scope + "/branch3x3dbl_3", b, 96, square(3, 2));
  const LayerId c = net.max_pool(scope + "/max_pool", from, square(3, 2));
  return net.concat(scope + "/concat", {a, b, c});
}

/// 17 x 17: 7x7 as rows and columns, `width` channels inside.
LayerId block_17(LayerBuilder& net, const std::string& scope, LayerId from, std::int64_t width) {
  const LayerId a = net.conv_bn_relu(scope + "/branch1x1", from, 192, square(1));
  LayerId b = net.conv_bn_relu(scope + "/branch7x7_1", from, width, square(1));
  b = net.conv_bn_relu(scope + "/branch7x7_2", b, width, row(7));
  b = net.conv_bn_relu(scope + "/branch7x7_3", b, 192, column(7));
  LayerId c = net.conv_bn_relu(scope + "/branch7x7dbl_1", from, width, square(1));
  c = net.conv_bn_relu(scope + "/branch7x7dbl_2", c, width, column(7));
  c = net.conv_bn_relu(scope + "/branch7x7dbl_3", c, width, row(7));
  c = net.conv_bn_relu(scope + "/branch7x7dbl_4", c, width, column(7));
  c = net.conv_bn_relu(scope + "/branch7x7dbl_5", c, 192, row(7));
  const LayerId d = pooled_branch(net, scope, from, 192);
  return net.concat(scope + "/concat", {a, b, c, d});
}

/// 17 x 17 to 8 x 8.
LayerId reduction_8(LayerBuilder& net, const std::string& scope, LayerId from) {
  LayerId a = net.conv_bn_relu(scope + "/branch3x3_1", from, 192, square(1));
  a = net.conv_bn_relu(scope + "/branch3x3_2", a, 320, square(3, 2));
  LayerId b = net.conv_bn_relu(scope + "/branch7x7x3_1", from, 192, square(1));
  b = net.conv_bn_relu(scope + "/branch7x7x3_2", b, 192, row(7));
  b = net.conv_bn_relu(scope + "/branch7x7x3_3", b, 192, column(7));
  b = net.conv_bn_relu(scope + "/branch7x7x3_4", b, 192, square(3, 2));
  const LayerId c = net.max_pool(scope + "/max_pool", from, square(3, 2));
  return net.concat(scope + "/concat", {a, b, c});
}

/// 8 x 8: branches that fork into a row and a column. One concat for all six ends.
LayerId block_8(LayerBuilder& net, const std::string& scope, LayerId from) {
  const LayerId a = net.conv_bn_relu(scope + "/branch1x1", from, 320, square(1));
  const LayerId b = net.conv_bn_relu(scope + "/branch3x3_1", from, 384, square(1));
  const LayerId b_row = net.conv_bn_relu(scope + "/branch3x3_2a", b, 384, row(3));
  const LayerId b_column = net.conv_bn_relu(scope + "/branch3x3_2b", b, 384, column(3));
  LayerId c = net.conv_bn_relu(scope + "/branch3x3dbl_1", from, 448, square(1));
  c = net.conv_bn_relu(scope + "/branch3x3dbl_2", c, 384, square(3, 1, 1));
  const LayerId c_row = net.conv_bn_relu(scope + "/branch3x3dbl_3a", c, 384, row(3));
  const LayerId c_column = net.conv_bn_relu(scope + "/branch3x3dbl_3b", c, 384, column(3));
  const LayerId d = pooled_branch(net, scope, from, 192);
  return net.concat(scope + "/concat", {a, b_row, b_column, c_row, c_column, d});
}

void build(const StepOptions&, LayerBuilder& net) {
  LayerId x = stem(net, net.input(3, 299, 299));
  x = block_35(net, "mixed_5b", x, 32);
  x = block_35(net, "mixed_5c", x, 64);
  x = block_35(net, "mixed_5d", x, 64);
  x = reduction_17(net, "mixed_6a", x);
  x = block_17(net, "mixed_6b", x, 128);
  x = block_17(net, "mixed_6c", x, 160);
  x = block_17(net, "mixed_6d", x, 160);
  x = block_17(net, "mixed_6e", x, 192);
  x = reduction_8(net, "mixed_7a", x);
  x = block_8(net, "mixed_7b", x);
  x = block_8(net, "mixed_7c", x);
  x = net.dropout("dropout", net.global_avg_pool("avg_pool", x));
  net.loss("loss", net.fully_connected("fc", x, 1000));
}

}  // namespace

Model inception_v3() {
  return make_network("Inception-V3 on 299 x 299 images, without the auxiliary classifier",
                      "Szegedy et al. 2015", kNetworkRows, build);
}

}  // namespace placer

// NASNet-A of Zoph et al., Learning Transferable Architectures for Scalable Image Recognition
// (arXiv:1707.07012), without the auxiliary classifier: of all the networks the one with the most
// branches. Every separable convolution is relu, depthwise, pointwise and batch norm, twice.
#include <algorithm>
#include <array>

#include "model/zoo/network.hpp"

namespace placer {
namespace {

struct Size {
  std::string_view name;
  std::int64_t image, cells, stem, channels;  // cells of a stage; channels of the first
};
constexpr std::array kSizes =
    std::to_array<Size>({{"large", 331, 6, 96, 168}, {"mobile", 224, 4, 32, 44}});

struct Options : StepOptions {
  TableRow<kSizes> size;
};

constexpr auto kRows = network_rows<Options>(option<&Options::size>(
    "size", "89 million weights on 331 x 331 images, or 5.3 million on 224 x 224"));
static_assert(kRows.size() == network_option_count<Options>);

constexpr Window around(std::int64_t size, std::int64_t stride = 1) {
  return square(size, stride, size / 2);
}

/// Depthwise, then pointwise.
LayerId separable(LayerBuilder& net, const std::string& scope, const std::string& part,
                  LayerId from, std::int64_t channels, Window window) {
  const std::int64_t inputs = net.at(from).shape[1];
  LayerId x = net.relu(scope + "/relu" + part, scope, from);
  x = net.conv(scope + "/depthwise" + part, scope, x, inputs, window, inputs);
  x = net.conv(scope + "/pointwise" + part, scope, x, channels, square(1));
  return net.batch_norm(scope + "/bn" + part, scope, x);
}

LayerId branch(LayerBuilder& net, const std::string& scope, LayerId from, std::int64_t channels,
               std::int64_t size, std::int64_t stride = 1) {
  const LayerId x = separable(net, scope, "1", from, channels, around(size, stride));
  return separable(net, scope, "2", x, channels, around(size));
}

/// To `channels` channels.
LayerId fitted(LayerBuilder& net, const std::string& scope, LayerId from, std::int64_t channels) {
  return net.conv_bn(scope, net.relu(scope + "/relu", scope, from), channels, square(1));
}

/// To half the size and `channels` channels: two paths, one a pixel further.
LayerId halved(LayerBuilder& net, const std::string& scope, LayerId from, std::int64_t channels) {
  net.set_block(scope);
  const LayerId x = net.relu(scope + "/relu", scope, from);
  LayerId a = net.avg_pool(scope + "/path1/pool", x, square(1, 2));
  a = net.conv(scope + "/path1/conv", scope + "/path1", a, channels / 2, square(1));
  LayerId b = net.avg_pool(scope + "/path2/pool", x, square(1, 2));
  b = net.conv(scope + "/path2/conv", scope + "/path2", b, channels / 2, square(1));
  const LayerId joined =
      net.batch_norm(scope + "/bn", scope, net.concat(scope + "/concat", {a, b}));
  net.set_block("");
  return joined;
}

/// In braces, which make the first before the second in every compiler, as arguments are not.
struct Pair {
  LayerId first, second;
};

/// The five pairs of a cell that keeps the size; `old` is the output of the cell before the last.
LayerId normal_cell(LayerBuilder& net, const std::string& scope, LayerId old, LayerId last,
                    std::int64_t channels) {
  const LayerId h = fitted(net, scope + "/last", last, channels);
  const bool is_larger = net.at(old).shape[2] > net.at(last).shape[2];
  const LayerId g = is_larger ? halved(net, scope + "/old", old, channels)
                              : fitted(net, scope + "/old", old, channels);
  const auto pair = [&](const char* name, const Pair& of) {
    return net.add(scope + name, of.second, of.first);
  };
  const LayerId p0 = pair("/pair0", {branch(net, scope + "/pair0_3x3", g, channels, 3),
                                     branch(net, scope + "/pair0_5x5", h, channels, 5)});
  const LayerId p1 = pair("/pair1", {branch(net, scope + "/pair1_3x3", g, channels, 3),
                                     branch(net, scope + "/pair1_5x5", g, channels, 5)});
  const LayerId p2 = pair("/pair2", {g, net.avg_pool(scope + "/pair2_pool", h, around(3))});
  const LayerId p3 = pair("/pair3", {net.avg_pool(scope + "/pair3_pool2", g, around(3)),
                                     net.avg_pool(scope + "/pair3_pool1", g, around(3))});
  const LayerId p4 = pair("/pair4", {h, branch(net, scope + "/pair4_3x3", h, channels, 3)});
  return net.concat(scope + "/concat", {g, p0, p1, p2, p3, p4});
}

/// The pairs of a cell that halves the size: `h` from the last cell's output, `g` from the one
/// before.
LayerId reduction_pairs(LayerBuilder& net, const std::string& scope, LayerId g, LayerId h,
                        std::int64_t channels) {
  const auto pair = [&](const char* name, const Pair& of) {
    return net.add(scope + name, of.second, of.first);
  };
  const LayerId p0 = pair("/pair0", {branch(net, scope + "/pair0_7x7", g, channels, 7, 2),
                                     branch(net, scope + "/pair0_5x5", h, channels, 5, 2)});
  const LayerId p1 = pair("/pair1", {branch(net, scope + "/pair1_7x7", g, channels, 7, 2),
                                     net.max_pool(scope + "/pair1_pool", h, around(3, 2))});
  const LayerId p2 = pair("/pair2", {branch(net, scope + "/pair2_5x5", g, channels, 5, 2),
                                     net.avg_pool(scope + "/pair2_pool", h, around(3, 2))});
  const LayerId p3 = pair("/pair3", {p1, net.avg_pool(scope + "/pair3_pool", p0, around(3))});
  const LayerId p4 = pair("/pair4", {net.max_pool(scope + "/pair4_pool", h, around(3, 2)),
                                     branch(net, scope + "/pair4_3x3", p0, channels, 3)});
  return net.concat(scope + "/concat", {p1, p2, p3, p4});
}

LayerId reduction_cell(LayerBuilder& net, const std::string& scope, LayerId old, LayerId last,
                       std::int64_t channels) {
  const LayerId h = fitted(net, scope + "/last", last, channels);
  const LayerId g = net.at(old).shape[2] > net.at(last).shape[2]
                        ? halved(net, scope + "/old", old, channels)
                        : fitted(net, scope + "/old", old, channels);
  return reduction_pairs(net, scope, g, h, channels);
}

void build(const Options& options, LayerBuilder& net) {
  const Size& size = *options.size;
  net.set_name("nasnet_" + name_of(options.size));
  net.save_pool_indices();
  const LayerId image = net.input(3, size.image, size.image);
  const LayerId stem = net.conv_bn("stem", image, size.stem, square(3, 2));
  const LayerId first = fitted(net, "stem0/last", stem, size.channels / 4);
  LayerId old = reduction_pairs(net, "stem0", stem, first, size.channels / 4);
  LayerId last = reduction_cell(net, "stem1", stem, old, size.channels / 2);
  for (std::int64_t stage = 0; stage < 3; ++stage) {
    const std::int64_t channels = size.channels << stage;
    if (stage > 0) {
      const std::string scope = "reduction" + std::to_string(stage);
      old = std::exchange(last, reduction_cell(net, scope, old, last, channels));
    }
    for (std::int64_t i = 0; i < size.cells; ++i) {
      const std::string scope = "cell" + std::to_string(stage * size.cells + i);
      old = std::exchange(last, normal_cell(net, scope, old, last, channels));
    }
  }
  LayerId x = net.global_avg_pool("avg_pool", net.relu("last_relu", "last_relu", last));
  net.loss("loss", net.fully_connected("fc", net.dropout("dropout", x), 1000));
}

}  // namespace

Model nasnet() {
  return make_network("NASNet-A, the network with the most branches", "Zoph et al. 2017", kRows,
                      build);
}

}  // namespace placer

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "placer/base/ids.hpp"

namespace placer {

inline constexpr std::int64_t kFloatBytes = 4;

using LayerId = Id<struct LayerTag>;

/// What an op does: arithmetic, and traffic with its device's memory.
struct Work {
  double flops = 0;
  double bytes = 0;

  Work& operator+=(const Work& other) {
    flops += other.flops;
    bytes += other.bytes;
    return *this;
  }
};

/// A forward op, and what its backward op will need.
struct Layer {
  std::string name, type;
  std::string group;  // of the layer in the model's terms: "mixed_5b/branch1x1"
  std::vector<LayerId> inputs;
  std::vector<std::int64_t> shape;  // of its output, NCHW
  std::string dtype = "float32";
  std::int64_t params_bytes = 0;
  Work forward;
  Work parameter_gradient;       // of the backward op, when it has parameters
  Work input_gradient;           // of the backward op, when an input needs a gradient
  std::vector<LayerId> stash;    // whose outputs the backward op reads
  std::int64_t saved_bytes = 0;  // a second output, for the backward op alone
  bool one_gradient = false;     // all inputs share the same gradient tensor
};

/// Bytes of the layer's output.
std::int64_t output_bytes(const Layer& layer);

struct Window {
  std::int64_t height = 1, width = 1, stride = 1;
  std::int64_t pad_height = 0, pad_width = 0;
};

/// A square window; `pad` on all four sides.
constexpr Window square(std::int64_t size, std::int64_t stride = 1, std::int64_t pad = 0) {
  return {size, size, stride, pad, pad};
}

/// Builds a network op by op, in fp32; each op's name is where it stands in the model.
class LayerBuilder {
 public:
  LayerBuilder(std::int64_t batch, bool training) : batch_(batch), training_(training) {}

  LayerId input(std::int64_t channels, std::int64_t height, std::int64_t width);
  /// `scope`/conv without a bias and `scope`/bn, one group.
  LayerId conv_bn(const std::string& scope, LayerId from, std::int64_t channels, Window window);
  /// The same with `scope`/relu.
  LayerId conv_bn_relu(const std::string& scope, LayerId from, std::int64_t channels,
                       Window window);
  LayerId relu(const std::string& name, const std::string& group, LayerId from);
  LayerId max_pool(const std::string& name, LayerId from, Window window);
  LayerId avg_pool(const std::string& name, LayerId from, Window window);
  /// Over the whole image, to 1 x 1.
  LayerId global_avg_pool(const std::string& name, LayerId from);
  /// Along the channels.
  LayerId concat(const std::string& name, const std::vector<LayerId>& from);
  LayerId add(const std::string& name, LayerId a, LayerId b);
  /// `from` itself where the network is not trained.
  LayerId dropout(const std::string& name, LayerId from);
  /// `scope`/matmul and `scope`/bias, one group.
  LayerId fully_connected(const std::string& scope, LayerId from, std::int64_t features);
  /// Softmax cross-entropy against one label for each image; nothing where the network is not
  /// trained.
  void loss(const std::string& scope, LayerId logits);

  /// In the order of building; inputs stand before their readers.
  const std::vector<Layer>& layers() const { return layers_; }

 private:
  const Layer& at(LayerId id) const { return layers_[id.index()]; }
  LayerId append(Layer layer);
  LayerId self() const { return LayerId(layers_.size()); }
  LayerId conv(const std::string& name, const std::string& group, LayerId from,
               std::int64_t channels, Window window);
  LayerId batch_norm(const std::string& name, const std::string& group, LayerId from);
  LayerId bias(const std::string& name, const std::string& group, LayerId from);

  std::int64_t batch_;
  bool training_;
  std::vector<Layer> layers_;
};

}  // namespace placer

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "placer/base/ids.hpp"
#include "placer/model/formulas.hpp"

namespace placer {

inline constexpr std::int64_t kFloatBytes = 4;

using LayerId = Id<struct LayerTag>;

/// A forward op, and what its backward op will need.
struct Layer {
  std::string name, type;
  std::string scope;  // the layer in the model's terms: "mixed_5b/branch1x1"
  std::vector<LayerId> inputs;
  std::vector<std::int64_t> shape;  // of its output; images NCHW, sequences batch x time x width
  std::string dtype = "float32";
  std::int64_t params_bytes = 0;
  std::optional<LayerId> weights_of;  // uses that layer's parameters and has none of its own
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

/// Builds a network op by op, in fp32; each op's name is where it stands in the model. A `scope` is
/// a layer in the model's terms: its ops are called `scope`/... and form one group.
class LayerBuilder {
 public:
  LayerBuilder(std::int64_t batch, bool training) : batch_(batch), training_(training) {}

  // Images (layers_images.cpp).
  LayerId input(std::int64_t channels, std::int64_t height, std::int64_t width);
  /// `scope`/conv without a bias and `scope`/bn.
  LayerId conv_bn(const std::string& scope, LayerId from, std::int64_t channels, Window window);
  /// The same with `scope`/relu.
  LayerId conv_bn_relu(const std::string& scope, LayerId from, std::int64_t channels,
                       Window window);
  LayerId max_pool(const std::string& name, LayerId from, Window window);
  LayerId avg_pool(const std::string& name, LayerId from, Window window);
  /// Over the whole image, to 1 x 1.
  LayerId global_avg_pool(const std::string& name, LayerId from);
  /// Along the channels.
  LayerId concat(const std::string& name, const std::vector<LayerId>& from);
  /// `scope`/matmul and `scope`/bias on all of an image.
  LayerId fully_connected(const std::string& scope, LayerId from, std::int64_t features);

  // Sequences (layers_sequences.cpp): `name` is the op's, `scope` the layer's.
  /// int32 ids or positions, not differentiated.
  LayerId ids(const std::string& name, std::vector<std::int64_t> shape);
  /// A row of a table of `rows` x `width` for each id; the gradient is a dense table.
  LayerId embedding(const std::string& scope, LayerId ids, std::int64_t rows, std::int64_t width);
  /// `scope`/matmul along the last dimension, and `scope`/bias.
  LayerId linear(const std::string& scope, LayerId from, std::int64_t features, bool bias = true);
  /// Adds a learnt table of `positions` rows to each sequence.
  LayerId add_positions(const std::string& name, LayerId from, std::int64_t positions);
  /// Onto the rows of an embedding's table, without a bias.
  LayerId tied_linear(const std::string& scope, LayerId from, LayerId embedding);
  /// Products of two activations; `inner` multiply-adds for each output.
  LayerId batch_matmul(const std::string& name, const std::string& scope, LayerId a, LayerId b,
                       std::vector<std::int64_t> shape, std::int64_t inner);
  LayerId layer_norm(const std::string& scope, LayerId from);
  LayerId softmax(const std::string& name, const std::string& scope, LayerId from);
  LayerId gelu(const std::string& name, const std::string& scope, LayerId from);

  // Both (layers.cpp).
  LayerId relu(const std::string& name, const std::string& scope, LayerId from);
  LayerId add(const std::string& name, LayerId a, LayerId b) { return add(name, name, a, b); }
  LayerId add(const std::string& name, const std::string& scope, LayerId a, LayerId b);
  /// `from` itself where the network is not trained.
  LayerId dropout(const std::string& name, LayerId from) { return dropout(name, name, from); }
  LayerId dropout(const std::string& name, const std::string& scope, LayerId from);
  /// Softmax cross-entropy against one label for each row of `logits`; nothing where the network is
  /// not trained.
  void loss(const std::string& scope, LayerId logits);

  std::int64_t batch() const { return batch_; }
  const Layer& at(LayerId id) const { return layers_[id.index()]; }
  /// In the order of building; inputs stand before their readers.
  const std::vector<Layer>& layers() const { return layers_; }
  /// Of the graph, where it says more than the model's.
  void set_name(std::string name) { name_ = std::move(name); }
  const std::string& name() const { return name_; }

 private:
  LayerId append(Layer layer);
  LayerId self() const { return LayerId(layers_.size()); }
  Layer layer_of(std::string name, std::string type, std::string scope,
                 std::vector<LayerId> inputs = {}) const;
  /// One flops-per-element op on one input of the same shape.
  LayerId elementwise(Layer layer, double flops);
  LayerId conv(const std::string& name, const std::string& scope, LayerId from,
               std::int64_t channels, Window window);
  LayerId batch_norm(const std::string& name, const std::string& scope, LayerId from);
  LayerId bias(const std::string& name, const std::string& scope, LayerId from,
               std::int64_t weights);

  std::int64_t batch_;
  bool training_;
  std::string name_;
  std::vector<Layer> layers_;
};

// For the builder's own files.
std::int64_t elements(std::span<const std::int64_t> shape);
double count(const Layer& layer);    // elements of its output
double traffic(const Layer& layer);  // bytes of its output
/// A convolution or a product with weights: each of the two gradients costs as much as the forward
/// op, `flops`.
void set_product_work(Layer& layer, const Layer& from, double flops, std::int64_t weight_bytes);

}  // namespace placer

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "placer/base/ids.hpp"
#include "placer/model/formulas.hpp"

namespace placer {

struct Op;
struct Tensor;

using LayerId = Id<struct LayerTag>;

/// A forward op, and what its backward op will need.
struct Layer {
  std::string name, type;
  std::string scope;  // the layer in the model's terms: "mixed_5b/branch1x1"
  std::string unit;   // what `--ops layer` makes one op of: the block it stands in, else the scope
  std::vector<LayerId> inputs;
  std::vector<std::int64_t> shape;  // of its output; images NCHW, sequences batch x time x width
  std::string dtype = "float32";
  std::int64_t params_bytes = 0;
  std::optional<LayerId> weights_of;  // uses that layer's parameters and has none of its own
  std::optional<LayerId> part_of;     // no op, but one of the outputs of that layer's op
  bool has_parts = false;             // its outputs are its parts alone
  bool keep = false;                  // its output stays to the end of the step
  Work forward;
  Work parameter_gradient;        // of the backward op, when it has parameters
  Work input_gradient;            // of the backward op, when an input needs a gradient
  std::vector<LayerId> stash;     // whose outputs the backward op reads
  std::int64_t saved_bytes = 0;   // a second output, for the backward op alone
  bool one_gradient = false;      // all inputs share the same gradient tensor
  std::vector<LayerId> controls;  // read before it runs, without a gradient
  const Op* given = nullptr;      // what it is made of, where it comes from a graph
  const Tensor* given_output = nullptr;
};

/// The bytes of one element; 4 for types that it does not know.
std::int64_t dtype_bytes(std::string_view dtype);
/// Bytes of the layer's output.
std::int64_t output_bytes(const Layer& layer);

/// Labels, and a softmax cross-entropy of all `outputs` against one for each of their rows.
void append_loss(std::vector<Layer>& layers, const std::string& scope, const std::string& unit,
                 const std::vector<LayerId>& outputs);

struct Window {
  std::int64_t height = 1, width = 1, stride = 1;
  std::int64_t pad_height = 0, pad_width = 0;
};

/// A square window; `pad` on all four sides.
constexpr Window square(std::int64_t size, std::int64_t stride = 1, std::int64_t pad = 0) {
  return {size, size, stride, pad, pad};
}

/// Builds a network op by op; each op's name is where it stands in the model. A `scope` is
/// a layer in the model's terms: its ops are called `scope`/... and form one group.
class LayerBuilder {
 public:
  struct Options {
    std::int64_t batch = 1;
    bool training = false;
    bool fine = false;              // views are ops, cells are taken apart
    std::string dtype = "float32";  // of weights and activations
  };
  explicit LayerBuilder(Options options) : options_(std::move(options)) {}

  /// What follows is one op under `--ops layer`, until the next call; "" ends it.
  void set_block(std::string block) { block_ = std::move(block); }

  // Images (layers_images.cpp).
  LayerId input(std::int64_t channels, std::int64_t height, std::int64_t width);
  /// `scope`/conv without a bias and `scope`/bn.
  LayerId conv_bn(const std::string& scope, LayerId from, std::int64_t channels, Window window);
  /// The same with `scope`/relu.
  LayerId conv_bn_relu(const std::string& scope, LayerId from, std::int64_t channels,
                       Window window);
  /// `scope`/conv with `scope`/bias and `scope`/relu.
  LayerId conv_bias_relu(const std::string& scope, LayerId from, std::int64_t channels,
                         Window window);
  /// `name` without a bias; `groups` share the channels out.
  LayerId conv(const std::string& name, const std::string& scope, LayerId from,
               std::int64_t channels, Window window, std::int64_t groups = 1);
  LayerId bias(const std::string& name, const std::string& scope, LayerId from,
               std::int64_t weights);
  LayerId batch_norm(const std::string& name, const std::string& scope, LayerId from);
  /// From now on max pools save the places of the largest for their backward ops, as PyTorch does.
  void save_pool_indices() { saves_pool_indices_ = true; }
  LayerId max_pool(const std::string& name, LayerId from, Window window);
  LayerId avg_pool(const std::string& name, LayerId from, Window window);
  /// An average pool over the whole image, to 1 x 1.
  LayerId global_avg_pool(const std::string& name, LayerId from);
  /// Joins the channels of several images.
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
  /// A product with an embedding's table, without a bias.
  LayerId tied_linear(const std::string& scope, LayerId from, LayerId embedding);
  /// Products of two activations; `inner` multiply-adds for each output.
  LayerId batch_matmul(const std::string& name, const std::string& scope, LayerId a, LayerId b,
                       std::vector<std::int64_t> shape, std::int64_t inner);
  LayerId layer_norm(const std::string& scope, LayerId from);
  LayerId softmax(const std::string& name, const std::string& scope, LayerId from);
  LayerId gelu(const std::string& name, const std::string& scope, LayerId from);

  LayerId rms_norm(const std::string& scope, LayerId from);
  LayerId tanh(const std::string& name, const std::string& scope, LayerId from);
  LayerId sigmoid(const std::string& name, const std::string& scope, LayerId from);
  LayerId silu(const std::string& name, const std::string& scope, LayerId from);
  LayerId rotate(const std::string& name, const std::string& scope, LayerId from);
  LayerId mul(const std::string& name, const std::string& scope, LayerId a, LayerId b);
  /// Cuts batch x time x ... into the outputs of one op, one for each time.
  std::vector<LayerId> unstack(const std::string& name, const std::string& scope, LayerId from);
  /// The other way round: batch x width, many times, to batch x time x width.
  LayerId stack(const std::string& name, const std::string& scope,
                const std::vector<LayerId>& from);
  /// Joins two tensors along their last dimension.
  LayerId join(const std::string& name, const std::string& scope, LayerId a, LayerId b);
  struct Cell {
    LayerId output, state;
  };
  /// One time step of an LSTM of `hidden` units. `weights` holds the layers that own the product's
  /// and the bias's weights, and is filled by the first step; `last` is empty there.
  struct CellWeights {
    std::optional<LayerId> product, bias;
  };
  Cell lstm_cell(const std::string& name, const std::string& scope, LayerId from,
                 const std::optional<Cell>& last, std::int64_t hidden, CellWeights& weights);
  /// A tensor that lives through the whole step, such as a key-value cache.
  LayerId state(const std::string& name, const std::string& scope, std::vector<std::int64_t> shape);
  /// A learnt row before each sequence.
  LayerId prepend_token(const std::string& name, LayerId from);
  /// The first element of each sequence: batch x width.
  LayerId first_of(const std::string& name, const std::string& scope, LayerId from);
  /// Rows of `from` to `experts` tensors of `capacity` rows, as `gates` says; one op.
  std::vector<LayerId> dispatch(const std::string& name, const std::string& scope, LayerId from,
                                LayerId gates, std::int64_t experts, std::int64_t capacity);
  /// The other way round: the experts' rows, weighted by `gates`.
  LayerId combine(const std::string& name, const std::string& scope,
                  const std::vector<LayerId>& experts, LayerId gates,
                  std::vector<std::int64_t> shape);
  /// An op of any other kind, without parameters or a backward op of its own cost.
  LayerId custom(const std::string& name, const std::string& type, const std::string& scope,
                 std::vector<LayerId> from, std::vector<std::int64_t> shape, Work work);

  // Both (layers.cpp).
  /// The same elements in another shape: an op without a cost where the graph is fine, else
  /// nothing.
  LayerId view(const std::string& name, const std::string& scope, LayerId from,
               std::vector<std::int64_t> shape);
  bool is_fine() const { return options_.fine; }
  bool is_training() const { return options_.training; }
  LayerId relu(const std::string& name, const std::string& scope, LayerId from);
  LayerId add(const std::string& name, LayerId a, LayerId b) { return add(name, name, a, b); }
  LayerId add(const std::string& name, const std::string& scope, LayerId a, LayerId b);
  /// `from` itself where the network is not trained.
  LayerId dropout(const std::string& name, LayerId from) { return dropout(name, name, from); }
  LayerId dropout(const std::string& name, const std::string& scope, LayerId from);
  /// Softmax cross-entropy against one label for each row of `logits`; nothing where the network is
  /// not trained.
  void loss(const std::string& scope, LayerId logits);

  std::int64_t batch() const { return options_.batch; }
  const Layer& at(LayerId id) const { return layers_[id.index()]; }
  /// In the order of building; inputs stand before their readers.
  const std::vector<Layer>& layers() const { return layers_; }
  /// Sets the graph's name, where it says more than the model's.
  void set_name(std::string name) { name_ = std::move(name); }
  const std::string& name() const { return name_; }

 private:
  LayerId append(Layer layer);
  LayerId self() const { return LayerId(layers_.size()); }
  Layer layer_of(std::string name, std::string type, std::string scope,
                 std::vector<LayerId> inputs = {}) const;
  /// One flops-per-element op on one input of the same shape.
  LayerId elementwise(Layer layer, double flops);
  std::int64_t weight_bytes(std::int64_t weights) const {
    return weights * dtype_bytes(options_.dtype);
  }
  std::vector<LayerId> split(LayerId whole, const std::vector<std::string>& names,
                             const std::vector<std::int64_t>& shape);
  /// One flop for each element of the largest input or output.
  LayerId pointwise(const std::string& name, const std::string& type, const std::string& scope,
                    std::vector<LayerId> from, std::vector<std::int64_t> shape);
  LayerId scale_by_weights(const std::string& name, const std::string& scope, LayerId from);
  LayerId fine_layer_norm(const std::string& scope, LayerId from);
  LayerId fine_gelu(const std::string& name, const std::string& scope, LayerId from);
  Cell fine_cell(const std::string& name, const std::string& scope, LayerId gates,
                 const std::optional<Cell>& last, std::int64_t hidden);

  Options options_;
  std::string block_;
  bool saves_pool_indices_ = false;
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

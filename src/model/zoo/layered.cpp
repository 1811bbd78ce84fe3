// Random layered graphs, as the list-scheduling papers draw them (Topcuoglu et al. 2002): ops in
// layers of random width, edges to a few random ops of earlier layers, mostly the last.
#include <algorithm>
#include <cmath>

#include "placer/base/rng.hpp"
#include "placer/model/zoo.hpp"

namespace placer {
namespace {

struct Options {
  std::int64_t ops = 1000;
  std::int64_t width = 0;
  double degree = 2;
  double skip = 0.2;
  double ccr = 1;
  double spread = 0.5;
  std::int64_t seed = 0;
};

constexpr std::array kRows = {
    option("ops", &Options::ops, 1, 1'000'000, "how many"),
    option("width", &Options::width, 0, 1'000'000, "mean ops of a layer; 0: the root of --ops"),
    option("degree", &Options::degree, 1, 100, "mean inputs of an op after the first layer"),
    option("skip", &Options::skip, 0, 1, "share of the inputs from before the last layer"),
    option(
        "ccr", &Options::ccr, 0, 1000,
        "communication to computation: mean transfer over 10 GB/s to mean op time at 10 TFLOP/s"),
    option("spread", &Options::spread, 0, 0.99, "costs are uniform within this share of the mean"),
    option("seed", &Options::seed, 0, 1'000'000'000, "of the draws"),
};
static_assert(kRows.size() == member_count<Options>);

constexpr double kMeanFlops = 1e9;        // 100 us at 10 TFLOP/s
constexpr double kMeanTensorBytes = 1e6;  // 100 us at 10 GB/s, for a ratio of 1
constexpr double kFlopsPerByte = 500;     // of memory traffic; compute-bound on common devices
constexpr std::int64_t kParamsBytes = 1 << 16;

class Drawer {
 public:
  explicit Drawer(const Options& options)
      : options_(options), rng_(static_cast<std::uint64_t>(options.seed)) {}

  Graph graph(const std::string& name) {
    draw_layers();
    const std::size_t count = layer_begin_.back();
    for (std::size_t i = 0; i < count; ++i) add_op(i);
    for (std::size_t layer = 1; layer + 1 < layer_begin_.size(); ++layer) {
      for (std::size_t i = layer_begin_[layer]; i < layer_begin_[layer + 1]; ++i) {
        draw_inputs(i, layer);
      }
    }
    std::erase_if(tensors_, [](const Tensor& tensor) { return tensor.consumers.empty(); });
    return Graph(name, std::move(ops_), std::move(tensors_));
  }

 private:
  /// Uniform within the spread around `mean`.
  double near(double mean) { return mean * (1 + options_.spread * (2 * rng_.uniform() - 1)); }

  void draw_layers() {
    const auto count = static_cast<std::size_t>(options_.ops);
    const double width = options_.width > 0 ? static_cast<double>(options_.width)
                                            : std::sqrt(static_cast<double>(options_.ops));
    layer_begin_ = {0};
    while (layer_begin_.back() < count) {
      const auto size = static_cast<std::size_t>(std::max(1.0, std::round(near(width))));
      layer_begin_.push_back(std::min(count, layer_begin_.back() + size));
    }
  }

  void add_op(std::size_t i) {
    Op op;
    op.name = "op" + std::to_string(i);
    op.type = "task";
    op.flops = std::round(near(kMeanFlops));
    op.bytes = std::round(*op.flops / kFlopsPerByte);
    op.params_bytes = kParamsBytes;
    ops_.push_back(std::move(op));
    Tensor tensor;
    tensor.producer = OpId(i);
    tensor.bytes = std::llround(near(options_.ccr * kMeanTensorBytes));
    tensors_.push_back(std::move(tensor));
  }

  /// One from the last layer, which makes the op belong here, and others from there or before.
  void draw_inputs(std::size_t i, std::size_t layer) {
    const std::size_t last = layer_begin_[layer - 1], width = layer_begin_[layer] - last;
    connect(last + rng_.below(width), i);
    const std::int64_t more = std::llround(rng_.uniform() * 2 * (options_.degree - 1));
    for (std::int64_t k = 0; k < more; ++k) {
      const bool skips = layer > 1 && rng_.chance(options_.skip);
      connect(skips ? rng_.below(last) : last + rng_.below(width), i);
    }
  }

  void connect(std::size_t from, std::size_t to) { tensors_[from].consumers.emplace_back(to); }

  const Options& options_;
  Rng rng_;
  std::vector<std::size_t> layer_begin_;
  std::vector<Op> ops_;
  std::vector<Tensor> tensors_;
};

GeneratedGraph generate_layered(const std::string& name, const Options& options) {
  return {Drawer(options).graph(name + "_" + std::to_string(options.ops)), {}, {}};
}

}  // namespace

Model layered() {
  return make_model("a random layered graph", "Topcuoglu, Hariri, Wu 2002", kRows,
                    generate_layered);
}

}  // namespace placer

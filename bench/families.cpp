#include "families.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "placer/base/errors.hpp"
#include "placer/base/rng.hpp"

namespace placer::bench {
namespace {

/// A graph that grows op by op; each op makes one tensor.
class Draft {
 public:
  explicit Draft(std::string name) : name_(std::move(name)) {}

  std::size_t size() const { return ops_.size(); }
  Rng& rng() { return rng_; }

  /// An op that reads the outputs of `inputs`; `weight` scales its time and its tensor.
  std::size_t add(const std::vector<std::size_t>& inputs, double weight = 1) {
    const std::size_t index = ops_.size();
    Op op;
    op.name = fmt::format("op{}", index);
    op.seconds = {{"gpu", (1e-5 + rng_.uniform() * 1e-3) * weight}};
    op.params_bytes = static_cast<std::int64_t>(rng_.below(1'000'000));
    op.temp_bytes = static_cast<std::int64_t>(rng_.below(1'000'000));
    ops_.push_back(std::move(op));
    Tensor output;
    output.name = fmt::format("t{}", index);
    output.producer = OpId(index);
    output.bytes = static_cast<std::int64_t>((1 + rng_.uniform() * 8e6) * weight);
    tensors_.push_back(std::move(output));
    for (const std::size_t input : inputs) tensors_[input].consumers.push_back(OpId(index));
    return index;
  }

  Graph graph() && { return Graph(std::move(name_), std::move(ops_), std::move(tensors_)); }

 private:
  std::string name_;
  Rng rng_{1};
  std::vector<Op> ops_;
  std::vector<Tensor> tensors_;
};

Graph chain(std::size_t ops) {
  Draft draft("chain");
  draft.add({});
  while (draft.size() < ops) draft.add({draft.size() - 1});
  return std::move(draft).graph();
}

Graph branches(std::size_t ops) {
  Draft draft("branches");
  std::size_t last = draft.add({});
  while (draft.size() < ops) {
    std::vector<std::size_t> ends;
    for (int branch = 0; branch < 4; ++branch) {
      std::size_t end = last;
      for (int depth = 0; depth < 3; ++depth) end = draft.add({end});
      ends.push_back(end);
    }
    last = draft.add(ends);
  }
  return std::move(draft).graph();
}

constexpr double kLight = 0.1;  // of the work of a matrix product: norms, activations, additions

struct ForwardLayer {
  std::size_t input, norm, query, key, value, scores, weights, context, projected, sum;
  std::size_t second_norm, up, activation, down, output;
};

ForwardLayer forward(Draft& draft, std::size_t input) {
  ForwardLayer at{};
  at.input = input;
  at.norm = draft.add({input}, kLight);
  at.query = draft.add({at.norm});
  at.key = draft.add({at.norm});
  at.value = draft.add({at.norm});
  at.scores = draft.add({at.query, at.key});
  at.weights = draft.add({at.scores}, kLight);
  at.context = draft.add({at.weights, at.value});
  at.projected = draft.add({at.context});
  at.sum = draft.add({at.projected, input}, kLight);
  at.second_norm = draft.add({at.sum}, kLight);
  at.up = draft.add({at.second_norm});
  at.activation = draft.add({at.up}, kLight);
  at.down = draft.add({at.activation});
  at.output = draft.add({at.down, at.sum}, kLight);
  return at;
}

/// Gradients against the direction of `forward`, each product with its update. Returns the
/// gradient of the layer's input.
std::size_t backward(Draft& draft, const ForwardLayer& at, std::size_t gradient) {
  const auto product = [&](std::vector<std::size_t> inputs) {
    const std::size_t made = draft.add(inputs, 2);
    draft.add({made}, kLight);
    return made;
  };
  const std::size_t down = product({gradient, at.activation});
  const std::size_t activation = draft.add({down, at.up}, kLight);
  const std::size_t up = product({activation, at.second_norm});
  const std::size_t second_norm = draft.add({up, at.sum}, kLight);
  const std::size_t sum = draft.add({second_norm, gradient}, kLight);
  const std::size_t projected = product({sum, at.context});
  const std::size_t context = draft.add({projected, at.weights, at.value}, 2);
  const std::size_t weights = draft.add({context, at.scores}, kLight);
  const std::size_t scores = draft.add({weights, at.query, at.key}, 2);
  const std::size_t query = product({scores, at.norm});
  const std::size_t key = product({scores, at.norm});
  const std::size_t value = product({context, at.norm});
  const std::size_t norm = draft.add({query, key, value, at.input}, kLight);
  return draft.add({norm, sum}, kLight);
}

Graph transformer(std::size_t ops) {
  Draft draft("transformer");
  std::vector<ForwardLayer> layers;
  std::size_t last = draft.add({});
  for (std::size_t count = std::max<std::size_t>(1, ops / 34); count > 0; --count) {
    layers.push_back(forward(draft, last));
    last = layers.back().output;
  }
  std::size_t gradient = draft.add({last});
  for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) {
    gradient = backward(draft, *layer, gradient);
  }
  return std::move(draft).graph();
}

void insert_once(std::vector<std::size_t>& inputs, std::size_t input) {
  if (std::ranges::find(inputs, input) == inputs.end()) inputs.push_back(input);
}

Graph layered(std::size_t ops) {
  constexpr std::size_t kColumns = 8;
  Draft draft("layered");
  while (draft.size() < ops) {
    const std::size_t index = draft.size();
    std::vector<std::size_t> inputs;
    if (index >= kColumns) {
      inputs = {index - kColumns};
      for (int extra = 0; extra < 2; ++extra) {
        if (!draft.rng().chance(0.3)) continue;
        insert_once(inputs, (index / kColumns - 1) * kColumns + draft.rng().below(kColumns));
      }
    }
    draft.add(inputs);
  }
  return std::move(draft).graph();
}

Graph random(std::size_t ops) {
  constexpr std::size_t kReach = 64;
  Draft draft("random");
  draft.add({});
  while (draft.size() < ops) {
    std::vector<std::size_t> inputs;
    for (std::size_t count = 1 + draft.rng().below(3); count > 0; --count) {
      const std::size_t back = 1 + draft.rng().below(std::min(kReach, draft.size()));
      insert_once(inputs, draft.size() - back);
    }
    draft.add(inputs);
  }
  return std::move(draft).graph();
}

Graph lattice(std::size_t ops) {
  constexpr std::size_t kLayers = 8;
  Draft draft("lattice");
  while (draft.size() < ops) {
    const std::size_t index = draft.size();
    std::vector<std::size_t> inputs;
    if (index % kLayers != 0) inputs.push_back(index - 1);
    if (index >= kLayers) inputs.push_back(index - kLayers);
    draft.add(inputs);
  }
  return std::move(draft).graph();
}

Graph streams(std::size_t ops) {
  constexpr std::size_t kStreams = 16;
  Draft draft("streams");
  while (draft.size() < ops) {
    const std::size_t index = draft.size();
    index < kStreams ? draft.add({}) : draft.add({index - kStreams});
  }
  return std::move(draft).graph();
}

}  // namespace

const std::array<Family, 7> kFamilies = {{{"chain", chain},
                                          {"branches", branches},
                                          {"transformer", transformer},
                                          {"layered", layered},
                                          {"random", random},
                                          {"lattice", lattice},
                                          {"streams", streams}}};

const Family& find_family(const std::string& name) {
  const auto found = std::ranges::find(kFamilies, name, &Family::name);
  if (found == kFamilies.end()) throw Error(fmt::format("no family '{}'", name));
  return *found;
}

}  // namespace placer::bench

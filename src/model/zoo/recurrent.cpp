#include "model/zoo/recurrent.hpp"

namespace placer {

std::vector<LayerId> lstm_layer(LayerBuilder& net, const std::string& scope,
                                const std::vector<LayerId>& steps, std::int64_t hidden) {
  std::vector<LayerId> outputs;
  LayerBuilder::CellWeights weights;
  std::optional<LayerBuilder::Cell> last;
  for (std::size_t t = 0; t < steps.size(); ++t) {
    const std::string name = scope + "/step" + std::to_string(t);
    last = net.lstm_cell(name, scope, steps[t], last, hidden, weights);
    outputs.push_back(last->output);
  }
  return outputs;
}

}  // namespace placer

#pragma once

#include <string>
#include <vector>

#include "model/zoo/layers.hpp"

namespace placer {

/// An LSTM of `hidden` units over `steps` (batch x width each); its output at each step.
std::vector<LayerId> lstm_layer(LayerBuilder& net, const std::string& scope,
                                const std::vector<LayerId>& steps, std::int64_t hidden);

}  // namespace placer

#pragma once

#include "nn/parameters.hpp"
#include "placer/search/policy.hpp"

namespace placer {

/// Adds a network's parameters to the policy's weights, Adam's moments to its state and its count
/// of steps to its counters, under names that begin with `prefix`.
void save_network(const std::string& prefix, const nn::Parameters& parameters, const nn::Adam& adam,
                  Policy& policy);
/// Takes what `save_network` has written: the weights and, where the policy has any state, the
/// moments and the count. Throws Error where shapes differ.
void load_network(const std::string& prefix, const Policy& policy, nn::Parameters& parameters,
                  nn::Adam& adam);

}  // namespace placer

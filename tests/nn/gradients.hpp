#pragma once

#include <functional>
#include <vector>

#include "nn/operations.hpp"

namespace placer::testing {

using nn::Index;
using nn::Matrix;
using nn::Tape;
using nn::Var;

/// Entries uniform in (-1, 1), the same for the same seed.
Matrix random_matrix(Index rows, Index columns, std::uint64_t seed);

/// The largest difference between the tape's gradients and central differences, each relative to
/// the larger of 1 and the gradient. `function` of `inputs` may have any shape.
double gradient_error(const std::vector<Matrix>& inputs,
                      const std::function<Var(const std::vector<Var>&)>& function);

/// The same for a network's parameters.
double gradient_error(nn::Parameters& parameters, const std::function<Var(Tape&)>& function);

/// Adds up to 0.1 to each parameter, or takes it away: from the kinks of relu, where biases are 0.
void stir(nn::Parameters& parameters);

}  // namespace placer::testing

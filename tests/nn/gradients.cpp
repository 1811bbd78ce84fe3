#include "nn/gradients.hpp"

#include <algorithm>
#include <cmath>

namespace placer::testing {
namespace {

constexpr double kStep = 1e-5;
constexpr Index kEntries = 100;  // of a parameter, spread over it, where it has more

/// A weighted sum, so that every element of `result` counts differently.
Var weighted(Var result) {
  return nn::sum(nn::multiply(
      result, result.tape().constant(random_matrix(result.rows(), result.columns(), 99))));
}

double error_at(double& entry, double gradient, const std::function<double()>& value) {
  const double before = entry;
  entry = before + kStep;
  const double above = value();
  entry = before - kStep;
  const double below = value();
  entry = before;
  const double slope = (above - below) / (2 * kStep);
  return std::abs(slope - gradient) / std::max(1.0, std::abs(slope));
}

}  // namespace

Matrix random_matrix(Index rows, Index columns, std::uint64_t seed) {
  Rng rng(seed);
  Matrix made(rows, columns);
  for (double& value : made.reshaped()) value = 2 * rng.uniform() - 1;
  return made;
}

double gradient_error(const std::vector<Matrix>& inputs,
                      const std::function<Var(const std::vector<Var>&)>& function) {
  nn::Parameters parameters;
  for (const Matrix& input : inputs) {
    parameters.zeros(std::to_string(parameters.all().size()), input.rows(), input.cols()).value =
        input;
  }
  return gradient_error(parameters, [&](Tape& tape) {
    std::vector<Var> vars;
    for (nn::Parameter& parameter : parameters.all()) vars.push_back(tape.parameter(parameter));
    return function(vars);
  });
}

double gradient_error(nn::Parameters& parameters, const std::function<Var(Tape&)>& function) {
  Tape tape;
  parameters.clear_gradients();
  tape.backward(weighted(function(tape)));
  const auto value = [&] {
    tape.clear();
    return weighted(function(tape)).value()(0, 0);
  };
  double worst = 0;
  for (nn::Parameter& parameter : parameters.all()) {
    const Index stride = 1 + parameter.value.size() / kEntries;
    for (Index i = 0; i < parameter.value.size(); i += stride) {
      const double gradient = parameter.gradient.data()[i];
      worst = std::max(worst, error_at(parameter.value.data()[i], gradient, value));
    }
  }
  return worst;
}

void stir(nn::Parameters& parameters) {
  Rng rng(8);
  for (nn::Parameter& parameter : parameters.all()) {
    for (double& value : parameter.value.reshaped()) value += 0.2 * rng.uniform() - 0.1;
  }
}

}  // namespace placer::testing

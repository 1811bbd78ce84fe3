#include "nn/parameters.hpp"

#include <cmath>

#include "nn/shared_out.hpp"

namespace placer::nn {

Parameter& Parameters::zeros(std::string name, Index rows, Index columns) {
  const Matrix zero = Matrix::Zero(rows, columns);
  return parameters_.emplace_back(Parameter{std::move(name), zero, zero, zero, zero});
}

Parameter& Parameters::constants(std::string name, Index rows, Index columns, double value) {
  Parameter& made = zeros(std::move(name), rows, columns);
  made.value.setConstant(value);
  return made;
}

Parameter& Parameters::uniform(std::string name, Index rows, Index columns, double bound,
                               Rng& rng) {
  Parameter& made = zeros(std::move(name), rows, columns);
  for (double& value : made.value.reshaped()) value = bound * (2 * rng.uniform() - 1);
  return made;
}

Parameter& Parameters::glorot(std::string name, Index rows, Index columns, Rng& rng) {
  const double bound = std::sqrt(6.0 / static_cast<double>(rows + columns));
  return uniform(std::move(name), rows, columns, bound, rng);
}

void Parameters::clear_gradients() {
  for (Parameter& parameter : parameters_) parameter.gradient.setZero();
}

double Parameters::clip_gradients(double most) {
  double squares = 0;
  for (const Parameter& parameter : parameters_) {
    const double* gradient = parameter.gradient.data();
    for (Index i = 0; i < parameter.gradient.size(); ++i) squares += gradient[i] * gradient[i];
  }
  const double norm = std::sqrt(squares);
  if (norm > most) {
    for (Parameter& parameter : parameters_) parameter.gradient *= most / norm;
  }
  return norm;
}

void Adam::step(Parameters& parameters) {
  ++steps;
  // beta^steps by products, for the C library's pow differs between machines.
  double power1 = 1, power2 = 1;
  for (std::int64_t i = 0; i < steps && (power1 > 1e-18 || power2 > 1e-18); ++i) {
    power1 *= beta1;
    power2 *= beta2;
  }
  const double rate = learning_rate / (1 - power1), correction = 1 / (1 - power2);
  constexpr Index kCost = 8;  // of an element, in multiplications
  for (Parameter& parameter : parameters.all()) {
    share_out(parameter.value.size(), kCost, [&](Index begin, Index end) {
      const auto part = [&](Matrix& of) {
        return Eigen::Map<Eigen::ArrayXd>(of.data() + begin, end - begin);
      };
      auto first = part(parameter.first_moment), second = part(parameter.second_moment);
      const auto gradient = part(parameter.gradient);
      first = beta1 * first + (1 - beta1) * gradient;
      second = beta2 * second + (1 - beta2) * gradient * gradient;
      part(parameter.value) -= rate * first / ((second * correction).sqrt() + epsilon);
    });
  }
}

}  // namespace placer::nn

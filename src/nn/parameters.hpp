#pragma once

#include <cstdint>
#include <deque>
#include <string>

#include "nn/matrix.hpp"
#include "placer/base/rng.hpp"

namespace placer::nn {

/// A matrix to learn. Gradients add up until `Parameters::clear_gradients`.
struct Parameter {
  std::string name;  // unique among its Parameters
  Matrix value, gradient;
  Matrix first_moment, second_moment;  // Adam's
};

/// The parameters of a network, in the order of their making.
class Parameters {
 public:
  /// Adds a parameter of zeros. The reference stays valid as long as this object.
  Parameter& zeros(std::string name, Index rows, Index columns);
  /// Adds a parameter whose entries are all `value`.
  Parameter& constants(std::string name, Index rows, Index columns, double value);
  /// Adds a parameter with entries drawn uniformly within +-sqrt(6 / (rows + columns)) (Glorot,
  /// Bengio 2010).
  Parameter& glorot(std::string name, Index rows, Index columns, Rng& rng);
  /// Adds a parameter with entries drawn uniformly within +-`bound`.
  Parameter& uniform(std::string name, Index rows, Index columns, double bound, Rng& rng);

  std::deque<Parameter>& all() { return parameters_; }
  const std::deque<Parameter>& all() const { return parameters_; }

  void clear_gradients();
  /// Scales all gradients by one factor so that their common L2 norm is at most `most`; returns the
  /// norm before.
  double clip_gradients(double most);

 private:
  std::deque<Parameter> parameters_;
};

/// Adam (Kingma, Ba 2015) with bias correction.
struct Adam {
  double learning_rate = 1e-3;
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
  std::int64_t steps = 0;  // taken so far

  /// Takes one step against the gradients, which stay as they are.
  void step(Parameters& parameters);
};

}  // namespace placer::nn

#pragma once

#include <cstddef>
#include <span>

namespace placer::nn {

// Element by element, with the same bits on every machine (as placer/base/real.hpp, but many at
// once); errors below 4e-16 absolute for tanh and sigmoid, relative for exp. `to` may be `from`.

/// Below -708 it gives exp(-708), above 709 exp(709): never zero, never infinite.
void exp_all(const double* from, double* to, std::size_t count);
void tanh_all(const double* from, double* to, std::size_t count);
void sigmoid_all(const double* from, double* to, std::size_t count);

/// For rows q of `queries` and k of `keys`: scores[q * key_count + k] =
/// sum_a weights[a] tanh(queries[q][a] + keys[k][a]); `_exp` are exp(2 x) of the matrices, at most
/// e^300 each. Additive attention without a hyperbolic tangent for each pair.
struct AdditiveScores {
  std::size_t query_count, key_count, width;
  const double* queries_exp;
  const double* keys_exp;
  const double* weights;
};
void additive_scores(const AdditiveScores& of, double* scores);
/// The derivatives of scores, given that with respect to them, and what they are added to: the
/// queries' may be null, or those of keys and weights.
struct ScoreDerivatives {
  AdditiveScores of;
  const double* above;
  double *queries, *keys, *weights;
};
/// Adds all of them, in order; all are of one width.
void additive_scores_backward(std::span<const ScoreDerivatives> all);

}  // namespace placer::nn

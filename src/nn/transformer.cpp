#include "nn/transformer.hpp"

#include <cassert>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "placer/base/real.hpp"

namespace placer::nn {
namespace {

/// Sine and cosine by their Taylor series about the nearest multiple of pi / 2, for |x| < 1e6.
std::pair<double, double> sine_cosine(double x) {
  const double quarters = std::nearbyint(x / (std::numbers::pi / 2));
  const double r = x - quarters * (std::numbers::pi / 2), square = r * r;
  double sine = 0, cosine = 0;
  for (int n = 17; n >= 3; n -= 2) sine = (1 + sine) * -square / ((n - 1) * n);
  for (int n = 18; n >= 2; n -= 2) cosine = (1 + cosine) * -square / ((n - 1) * n);
  sine = r + r * sine;
  cosine += 1;
  switch (static_cast<long>(quarters) & 3) {
    case 0:
      return {sine, cosine};
    case 1:
      return {cosine, -sine};
    case 2:
      return {-sine, -cosine};
    default:
      return {-cosine, sine};
  }
}

}  // namespace

Matrix distance_encodings(Index first, Index count, Index width) {
  assert(width % 2 == 0);
  Matrix encodings(count, width);
  const double log_base = portable_log(10000.0);
  for (Index i = 0; i < width / 2; ++i) {
    const double rate =
        portable_exp(-log_base * 2 * static_cast<double>(i) / static_cast<double>(width));
    for (Index p = 0; p < count; ++p) {
      const auto [sine, cosine] = sine_cosine(rate * static_cast<double>(first + p));
      encodings(p, i) = sine;
      encodings(p, width / 2 + i) = cosine;
    }
  }
  return encodings;
}

MultiHeadAttention::MultiHeadAttention(Parameters& parameters, const std::string& name, Index width,
                                       Index heads, Rng& rng)
    : width_(width),
      heads_(heads),
      query_(&parameters.glorot(name + "/query", width, width, rng)),
      key_(&parameters.glorot(name + "/key", width, width, rng)),
      value_(&parameters.glorot(name + "/value", width, width, rng)),
      distance_(&parameters.glorot(name + "/distance", width, width, rng)),
      content_bias_(&parameters.zeros(name + "/content_bias", 1, width)),
      distance_bias_(&parameters.zeros(name + "/distance_bias", 1, width)),
      output_(parameters, name + "/output", width, width, rng) {
  assert(width % heads == 0 && width % 2 == 0);
}

Var MultiHeadAttention::operator()(Var segment, std::optional<Var> memory) const {
  Tape& tape = segment.tape();
  const Var seen = memory ? concat_rows({stop_gradient(*memory), segment}) : segment;
  const Index count = segment.rows(), keys = seen.rows();
  const Var query = matmul(segment, tape.parameter(*query_));
  const Var by_content = add(query, tape.parameter(*content_bias_));
  const Var by_distance = add(query, tape.parameter(*distance_bias_));
  const Var key = matmul(seen, tape.parameter(*key_));
  const Var value = matmul(seen, tape.parameter(*value_));
  // From the last query to the first key, to from the first query to the last key.
  const Var distances =
      matmul(tape.constant(distance_encodings(1 - keys, count + keys - 1, width_)),
             tape.parameter(*distance_));
  const Index width = width_ / heads_;
  std::vector<Var> attended;
  for (Index head = 0; head < heads_; ++head) {
    const auto of = [&](Var all) { return slice_columns(all, head * width, width); };
    const Var content = matmul_transposed(of(by_content), of(key));
    const Var distance = relative_shift(matmul_transposed(of(by_distance), of(distances)), keys);
    const double scaled = 1 / std::sqrt(static_cast<double>(width));
    attended.push_back(matmul(softmax(scale(add(content, distance), scaled)), of(value)));
  }
  return output_(concat_columns(attended));
}

TransformerLayer::TransformerLayer(Parameters& parameters, const std::string& name, Index width,
                                   Index heads, Index inner, Rng& rng)
    : attention_(parameters, name + "/attention", width, heads, rng),
      attention_norm_(parameters, name + "/attention_norm", width),
      inner_(parameters, name + "/inner", width, inner, rng),
      outer_(parameters, name + "/outer", inner, width, rng),
      outer_norm_(parameters, name + "/outer_norm", width) {}

Var TransformerLayer::operator()(Var segment, std::optional<Var> memory) const {
  const Var attended = attention_norm_(add(segment, attention_(segment, memory)));
  return outer_norm_(add(attended, outer_(relu(inner_(attended)))));
}

}  // namespace placer::nn

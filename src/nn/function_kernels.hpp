#pragma once

#include <algorithm>
#include <cstdint>

#include "nn/functions.hpp"
#include "nn/vectorized.hpp"

namespace placer::nn {

/// Cody and Waite: 2^k e^r with |r| <= ln 2 / 2, and the Taylor series of e^r. Without a branch.
template <class Vector>
PLACER_INLINE void take_exp(Vector& x) {
  using Bits [[gnu::vector_size(sizeof(Vector))]] = std::uint64_t;
  constexpr double kLn2High = 0x1.62e42feep-1, kLn2Low = 0x1.a39ef35793c76p-33;
  constexpr double kPerLn2 = 1.4426950408889634, kRound = 0x1.8p52;
  const Vector least = Vector{} - 708.0, most = Vector{} + 709.0;
  x = x < least ? least : x;
  x = x > most ? most : x;
  const Vector shifted = x * kPerLn2 + kRound;  // its low bits are k
  const Vector k = shifted - kRound;
  const Vector r = (x - k * kLn2High) - k * kLn2Low;
  Vector sum = Vector{} + 1.0 / 6227020800.0;
  for (const double next :
       {1.0 / 479001600.0, 1.0 / 39916800.0, 1.0 / 3628800.0, 1.0 / 362880.0, 1.0 / 40320.0,
        1.0 / 5040.0, 1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5}) {
    sum = sum * r + next;
  }
  sum = sum * (r * r) + r + 1.0;
  x = reinterpret_cast<Vector>(reinterpret_cast<Bits>(sum) +
                               (reinterpret_cast<Bits>(shifted) << 52));
}

struct Exp {
  template <class Vector>
  PLACER_INLINE static void apply(Vector& x) {
    take_exp(x);
  }
};

struct Sigmoid {
  template <class Vector>
  PLACER_INLINE static void apply(Vector& x) {
    x = -x;
    take_exp(x);
    x = 1.0 / (1.0 + x);
  }
};

struct Tanh {
  template <class Vector>
  PLACER_INLINE static void apply(Vector& x) {
    const Vector of = x;
    x = of < 0.0 ? of + of : -of - of;
    take_exp(x);
    x = (1.0 - x) / (1.0 + x);
    x = of < 0.0 ? -x : x;
  }
};

template <class Function>
struct FunctionKernel {
  template <class Vector>
  PLACER_INLINE static void run(const double* from, double* to, std::size_t count) {
    constexpr std::size_t lanes = sizeof(Vector) / sizeof(double);
    std::size_t i = 0;
    for (; i + lanes <= count; i += lanes) {
      Vector x;
      load(x, from + i);
      Function::apply(x);
      store(to + i, x);
    }
    if (i == count) return;
    double rest[lanes] = {};
    std::copy(from + i, from + count, rest);
    Vector x;
    load(x, rest);
    Function::apply(x);
    store(rest, x);
    std::copy(rest, rest + (count - i), to + i);
  }
};

inline constexpr std::size_t kLanes = 8;  // partial sums: part of the result's definition

/// tanh(q + k) = 1 - 2 / (1 + e^2q e^2k)
template <class Vector>
PLACER_INLINE double score_of(const double* query, const double* key, const double* weights,
                              std::size_t width) {
  constexpr std::size_t lanes = sizeof(Vector) / sizeof(double);
  Vector parts[kLanes / lanes] = {};
  std::size_t a = 0;
  for (; a + kLanes <= width; a += kLanes) {
    for (std::size_t part = 0; part < kLanes / lanes; ++part) {
      const std::size_t at = a + part * lanes;
      Vector q, k, weight;
      load(q, query + at);
      load(k, key + at);
      load(weight, weights + at);
      parts[part] += weight - weight * 2.0 / (1.0 + q * k);
    }
  }
  double sums[kLanes];
  for (std::size_t part = 0; part < kLanes / lanes; ++part) store(sums + part * lanes, parts[part]);
  for (std::size_t lane = 0; a < width; ++a, ++lane) {
    sums[lane] += weights[a] - weights[a] * 2.0 / (1.0 + query[a] * key[a]);
  }
  double sum = 0;
  for (const double part : sums) sum += part;
  return sum;
}

/// The scores of queries `first` ... `last`.
struct ScoresKernel {
  template <class Vector>
  PLACER_INLINE static void run(const AdditiveScores& of, std::size_t first, std::size_t last,
                                double* scores) {
    for (std::size_t q = first; q < last; ++q) {
      for (std::size_t k = 0; k < of.key_count; ++k) {
        scores[q * of.key_count + k] = score_of<Vector>(
            of.queries_exp + q * of.width, of.keys_exp + k * of.width, of.weights, of.width);
      }
    }
  }
};

/// Those with respect to as many features as there are lanes, from `a` on: of the queries, and of
/// keys and weights.
template <class Vector, bool kQueries, bool kOthers>
PLACER_INLINE void add_derivatives(const ScoreDerivatives& to, std::size_t a) {
  const AdditiveScores& of = to.of;
  Vector weight, weight_sum = {}, query_sum = {};
  load(weight, of.weights + a);
  if constexpr (kOthers) load(weight_sum, to.weights + a);
  for (std::size_t q = 0; q < of.query_count; ++q) {
    Vector query;
    load(query, of.queries_exp + q * of.width + a);
    if constexpr (kQueries) load(query_sum, to.queries + q * of.width + a);
    for (std::size_t k = 0; k < of.key_count; ++k) {
      const double above = to.above[q * of.key_count + k];
      Vector key;
      load(key, of.keys_exp + k * of.width + a);
      const Vector tanh = 1.0 - 2.0 / (1.0 + query * key);
      const Vector inner = above * weight * (1.0 - tanh * tanh);
      if constexpr (kQueries) query_sum += inner;
      if constexpr (kOthers) {
        add_to(to.keys + k * of.width + a, inner);
        weight_sum += above * tanh;
      }
    }
    if constexpr (kQueries) store(to.queries + q * of.width + a, query_sum);
  }
  if constexpr (kOthers) store(to.weights + a, weight_sum);
}

/// The derivatives with respect to features `first` ... `last`.
struct ScoresBackwardKernel {
  template <class Vector, bool kQueries, bool kOthers>
  PLACER_INLINE static void add(const ScoreDerivatives& to, std::size_t first, std::size_t last) {
    constexpr std::size_t lanes = sizeof(Vector) / sizeof(double);
    std::size_t a = first;
    for (; a + lanes <= last; a += lanes) add_derivatives<Vector, kQueries, kOthers>(to, a);
    for (; a < last; ++a) add_derivatives<One, kQueries, kOthers>(to, a);
  }
  template <class Vector>
  PLACER_INLINE static void run(const ScoreDerivatives& to, std::size_t first, std::size_t last) {
    if (to.queries == nullptr) return add<Vector, false, true>(to, first, last);
    if (to.keys == nullptr) return add<Vector, true, false>(to, first, last);
    add<Vector, true, true>(to, first, last);
  }
};

}  // namespace placer::nn

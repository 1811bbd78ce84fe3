#pragma once

#include <initializer_list>
#include <span>

#include "nn/tape.hpp"

namespace placer::nn {

// Operations on a tape. Shapes that do not fit are our own mistakes (asserts).

Var matmul(Var a, Var b);
/// The product a b^T.
Var matmul_transposed(Var a, Var b);
/// x weight + bias. A `bias` of one row is added to every row.
Var linear(Var x, Var weight, Var bias);
/// The positive part of that: relu(linear(x, weight, bias)). After the backward pass its gradient
/// is that of the linear part, as that of `lstm_gates` is.
Var linear_relu(Var x, Var weight, Var bias);

/// Element by element; `b` of one row serves every row of `a` (a bias), of one column every column.
Var add(Var a, Var b);
Var multiply(Var a, Var b);
Var scale(Var a, double factor);
Var relu(Var a);
Var tanh(Var a);
Var sigmoid(Var a);
Var stop_gradient(Var a);

Var concat_columns(std::span<const Var> parts);
Var concat_rows(std::span<const Var> parts);
inline Var concat_columns(std::initializer_list<Var> parts) {
  return concat_columns(std::span(parts.begin(), parts.size()));
}
inline Var concat_rows(std::initializer_list<Var> parts) {
  return concat_rows(std::span(parts.begin(), parts.size()));
}
Var slice_columns(Var a, Index first, Index count);
Var slice_rows(Var a, Index first, Index count);
/// A matrix whose row i is row indices[i] of `a`.
Var gather_rows(Var a, std::span<const Index> indices);
/// `a`, with row i of `b` added to row i for each i in `rows`, which outlives the tape's use.
Var add_rows(Var a, Var b, std::span<const Index> rows);
/// The same numbers, row by row, in another shape.
Var reshape(Var a, Index rows, Index columns);

/// The sum of all entries: 1 x 1.
Var sum(Var a);
Var mean(Var a);
/// The sum over all rows: 1 x columns.
Var sum_rows(Var a);

/// A sparse matrix that is no variable: row i has entries offsets[i] .. offsets[i+1], each a column
/// and a weight; `weights` empty: all 1. Outlives the tape's use.
struct Sparse {
  std::span<const Index> offsets, columns;
  std::span<const double> weights;
  Index rows() const { return static_cast<Index>(offsets.size()) - 1; }
};
/// sparse x a: sums of rows, as over the neighbours of a node.
Var sparse_matmul(const Sparse& sparse, Var a);
// For each row of `segments` the sum of the rows of `a` that it names; its weights do not count. 0
// where it names none.
Var segment_sum(const Sparse& segments, Var a);
Var segment_mean(const Sparse& segments, Var a);
/// The largest entries instead of the sum. The gradient goes to the first of equal ones.
Var segment_max(const Sparse& segments, Var a);

/// The softmax of each row, which sums to 1.
Var softmax(Var a);
Var log_softmax(Var a);
/// For each row i the logarithm of softmax(logits)[choices[i]]: rows x 1.
Var log_softmax_pick(Var logits, std::span<const Index> choices);
/// The entropy of each row's softmax, in nats: rows x 1.
Var softmax_entropy(Var logits);
/// Brings each row to mean 0 and variance 1, multiplies it by `gain` and adds `bias`, both 1 x
/// columns (Ba et al. 2016).
Var layer_norm(Var a, Var gain, Var bias);
/// Divides each row by its L2 norm, or by 1e-12 where that is less.
Var normalize_rows(Var a);

// The parts of an LSTM step; gates in the order i, f, o, g.
/// The gates, from linear(x, weight, bias): the sigmoid of the first three quarters of its columns,
/// the tanh of the last quarter.
Var lstm_gates(Var x, Var weight, Var bias);
/// The cell after the step: f c + i g.
Var lstm_cell(Var gates, Var cell);
/// The output of the step: o tanh(c).
Var lstm_output(Var gates, Var cell);

/// exp(2 x), without gradient: what `additive_scores` needs of its keys, once for all queries.
Var exp_twice(Var x);
/// queries.rows x keys.rows: weights . tanh(query + key), `weights` 1 x columns (Bahdanau, Cho,
/// Bengio 2015).
Var additive_scores(Var queries, Var keys, Var keys_exp_twice, Var weights);
/// `scores` is n x (n + keys - 1), by query and by distance; the result is n x keys, and its (i, j)
/// is scores(i, n - 1 - i + j): each key by its distance to the query (Dai et al. 2019, appendix
/// B).
Var relative_shift(Var scores, Index keys);

}  // namespace placer::nn

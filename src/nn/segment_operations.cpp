#include <algorithm>
#include <cassert>

#include "nn/operations.hpp"
#include "nn/shared_out.hpp"

namespace placer::nn {
namespace {

void add_scaled(double* __restrict to, double factor, const double* __restrict from, Index count) {
  for (Index j = 0; j < count; ++j) to[j] += factor * from[j];
}

/// saved: the weight of each entry; indices: their columns
void sums_backward(Tape& tape, const Node& node) {
  double* const to = tape.input(node, 0).gradient;
  constexpr Index kLine = 8;  // columns: rows share theirs of the input, columns do not
  const Index lines = (node.columns + kLine - 1) / kLine;
  share_out(lines, std::ssize(node.indices) * kLine * kMove, [&](Index first, Index last) {
    const Index column = first * kLine, count = std::min(last * kLine, node.columns) - column;
    for (Index i = 0; i < node.rows; ++i) {
      const double* above = node.gradient + i * node.columns + column;
      for (Index e = node.offsets[at(i)]; e < node.offsets[at(i + 1)]; ++e) {
        add_scaled(to + node.indices[at(e)] * node.columns + column, node.saved[at(e)], above,
                   count);
      }
    }
  });
}

Var weighted_sums(const Sparse& sparse, std::span<double> weights, Var a) {
  Node& made = a.tape().make(sparse.rows(), a.columns(), {a}, sums_backward);
  made.saved = weights;
  made.offsets = sparse.offsets;
  made.indices = sparse.columns;
  const double* const from = a.value().data();
  const Index entries = std::ssize(sparse.columns) / std::max<Index>(made.rows, 1) + 1;  // of a row
  share_out(made.rows, entries * made.columns * kMove, [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      double* to = made.value + i * made.columns;
      std::fill_n(to, made.columns, 0.0);
      for (Index e = sparse.offsets[at(i)]; e < sparse.offsets[at(i + 1)]; ++e) {
        assert(sparse.columns[at(e)] < a.rows());
        add_scaled(to, weights[at(e)], from + sparse.columns[at(e)] * made.columns, made.columns);
      }
    }
  });
  return a.tape().last();
}

}  // namespace

Var sparse_matmul(const Sparse& sparse, Var a) {
  if (sparse.weights.empty()) return segment_sum(sparse, a);
  const std::span<double> weights = a.tape().scratch(sparse.weights.size());
  std::copy(sparse.weights.begin(), sparse.weights.end(), weights.begin());
  return weighted_sums(sparse, weights, a);
}

Var segment_sum(const Sparse& segments, Var a) {
  const std::span<double> ones = a.tape().scratch(segments.columns.size());
  std::fill(ones.begin(), ones.end(), 1.0);
  return weighted_sums(segments, ones, a);
}

Var segment_mean(const Sparse& segments, Var a) {
  const std::span<double> shares = a.tape().scratch(segments.columns.size());
  for (Index i = 0; i < segments.rows(); ++i) {
    const Index first = segments.offsets[at(i)], end = segments.offsets[at(i + 1)];
    for (Index e = first; e < end; ++e) shares[at(e)] = 1.0 / static_cast<double>(end - first);
  }
  return weighted_sums(segments, shares, a);
}

Var segment_max(const Sparse& segments, Var a) {
  // indices: for each element the row of `a` that it came from, or -1
  const auto backward = [](Tape& tape, const Node& node) {
    View to = tape.input(node, 0).gradients();
    for (Index i = 0; i < node.size(); ++i) {
      const Index row = node.indices[at(i)];
      if (row >= 0) to(row, i % node.columns) += node.gradient[i];
    }
  };
  Tape& tape = a.tape();
  Node& made = tape.make(segments.rows(), a.columns(), {a}, backward);
  const std::span<Index> rows = tape.index_scratch(at(made.size()));
  std::fill(rows.begin(), rows.end(), -1);
  made.values().setZero();
  const double* from = a.value().data();
  for (Index i = 0; i < made.rows; ++i) {
    double* to = made.value + i * made.columns;
    Index* row = rows.data() + i * made.columns;
    for (Index e = segments.offsets[at(i)]; e < segments.offsets[at(i + 1)]; ++e) {
      const Index member = segments.columns[at(e)];
      for (Index j = 0; j < made.columns; ++j) {
        const double value = from[member * made.columns + j];
        if (row[j] >= 0 && value <= to[j]) continue;
        to[j] = value;
        row[j] = member;
      }
    }
  }
  made.indices = rows;
  return tape.last();
}

}  // namespace placer::nn

#include <cassert>

#include "nn/operations.hpp"

namespace placer::nn {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// saved: the weight of each entry; indices: offsets, then columns
Var weighted_sums(const Sparse& sparse, std::span<const double> weights, Var a) {
  const auto backward = [](Tape& tape, const Node& node) {
    View to = tape.input(node, 0).gradients();
    const View above = node.gradients();
    const auto columns = node.indices.subspan(at(node.rows + 1));
    for (Index i = 0; i < node.rows; ++i) {
      for (Index e = node.indices[at(i)]; e < node.indices[at(i + 1)]; ++e) {
        to.row(columns[at(e)]) += node.saved[at(e)] * above.row(i);
      }
    }
  };
  Tape& tape = a.tape();
  const std::span<double> saved = tape.scratch(weights.size());
  std::copy(weights.begin(), weights.end(), saved.begin());
  Node& made = tape.make(sparse.rows(), a.columns(), {a}, backward);
  made.saved = saved;
  made.indices = tape.keep(sparse.offsets, sparse.columns);
  View to = made.values();
  to.setZero();
  const ConstView from = a.value();
  for (Index i = 0; i < made.rows; ++i) {
    for (Index e = sparse.offsets[at(i)]; e < sparse.offsets[at(i + 1)]; ++e) {
      assert(sparse.columns[at(e)] < a.rows());
      to.row(i) += saved[at(e)] * from.row(sparse.columns[at(e)]);
    }
  }
  return tape.last();
}

}  // namespace

Var sparse_matmul(const Sparse& sparse, Var a) {
  return sparse.weights.empty() ? segment_sum(sparse, a) : weighted_sums(sparse, sparse.weights, a);
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

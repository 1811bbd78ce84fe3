#include "nn/operations.hpp"

#include <algorithm>
#include <cassert>

#include "nn/product.hpp"

namespace placer::nn {
namespace {

void matmul_backward(Tape& tape, const Node& node) {
  const Node &a = tape.input(node, 0), &b = tape.input(node, 1);
  if (a.gradient) {
    add_product(a.gradient, plain(node.gradient, node.columns), tape.packed_transposed(node, 1),
                a.rows);
  }
  if (b.gradient) tape.add_transposed_product(node);
}

void matmul_transposed_backward(Tape& tape, const Node& node) {
  const Node &a = tape.input(node, 0), &b = tape.input(node, 1);
  if (a.gradient) {
    add_product(a.gradient, plain(node.gradient, node.columns), tape.packed(node, 1), a.rows);
  }
  if (b.gradient) {
    add_product(b.gradient, transposed(node.gradient, node.columns), tape.packed(node, 0), b.rows);
  }
}

/// number: not 0 where the result's positive parts were taken; leaves the gradient before that.
void linear_backward(Tape& tape, const Node& node) {
  const Node& bias = tape.input(node, 2);
  double* row = node.gradient;
  for (Index i = 0; i < node.rows; ++i, row += node.columns) {
    if (node.number != 0) {
      const double* value = node.value + i * node.columns;
      for (Index j = 0; j < node.columns; ++j) row[j] = value[j] > 0 ? row[j] : 0.0;
    }
    if (!bias.gradient) continue;
    for (Index j = 0; j < node.columns; ++j) bias.gradient[j] += row[j];
  }
  matmul_backward(tape, node);
}

Var linear(Var x, Var weight, Var bias, double relu) {
  assert(x.columns() == weight.rows() && weight.columns() == bias.columns() && bias.rows() == 1);
  Tape& tape = x.tape();
  Node& made = tape.make(x.rows(), weight.columns(), {x, weight, bias}, linear_backward);
  made.number = relu;
  made.values().setZero();
  add_product(made.value, plain(x.value().data(), x.columns()), tape.packed(made, 1), x.rows());
  const double* add = bias.value().data();
  double* row = made.value;
  for (Index i = 0; i < made.rows; ++i, row += made.columns) {
    for (Index j = 0; j < made.columns; ++j) row[j] += add[j];
    if (relu == 0) continue;
    for (Index j = 0; j < made.columns; ++j) row[j] = row[j] > 0 ? row[j] : 0.0;
  }
  return tape.last();
}

}  // namespace

Var linear(Var x, Var weight, Var bias) { return linear(x, weight, bias, 0); }

Var linear_relu(Var x, Var weight, Var bias) { return linear(x, weight, bias, 1); }

Var matmul(Var a, Var b) {
  assert(a.columns() == b.rows());
  Tape& tape = a.tape();
  const Node& made = tape.make(a.rows(), b.columns(), {a, b}, matmul_backward);
  made.values().setZero();
  add_product(made.value, plain(a.value().data(), a.columns()), tape.packed(made, 1), a.rows());
  return tape.last();
}

Var matmul_transposed(Var a, Var b) {
  assert(a.columns() == b.columns());
  Tape& tape = a.tape();
  const Node& made = tape.make(a.rows(), b.rows(), {a, b}, matmul_transposed_backward);
  made.values().setZero();
  add_product(made.value, plain(a.value().data(), a.columns()), tape.packed_transposed(made, 1),
              a.rows());
  return tape.last();
}

Var transpose(Var a) {
  const auto backward = [](Tape& tape, const Node& node) {
    tape.input(node, 0).gradients() += node.gradients().transpose();
  };
  const Node& made = a.tape().make(a.columns(), a.rows(), {a}, backward);
  made.values() = a.value().transpose();
  return a.tape().last();
}

Var concat_columns(std::span<const Var> parts) {
  const auto backward = [](Tape& tape, const Node& node) {
    Index at = 0;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const Node& part = tape.input(node, i);
      if (part.gradient) part.gradients() += node.gradients().middleCols(at, part.columns);
      at += part.columns;
    }
  };
  Index columns = 0;
  for (const Var part : parts) columns += part.columns();
  Tape& tape = parts.front().tape();
  const Node& made = tape.make(parts.front().rows(), columns, parts, backward);
  Index at = 0;
  for (const Var part : parts) {
    assert(part.rows() == made.rows);
    made.values().middleCols(at, part.columns()) = part.value();
    at += part.columns();
  }
  return tape.last();
}

Var concat_rows(std::span<const Var> parts) {
  const auto backward = [](Tape& tape, const Node& node) {
    Index at = 0;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const Node& part = tape.input(node, i);
      if (part.gradient) part.gradients() += node.gradients().middleRows(at, part.rows);
      at += part.rows;
    }
  };
  Index rows = 0;
  for (const Var part : parts) rows += part.rows();
  Tape& tape = parts.front().tape();
  const Node& made = tape.make(rows, parts.front().columns(), parts, backward);
  Index at = 0;
  for (const Var part : parts) {
    assert(part.columns() == made.columns);
    made.values().middleRows(at, part.rows()) = part.value();
    at += part.rows();
  }
  return tape.last();
}

Var slice_columns(Var a, Index first, Index count) {
  const auto backward = [](Tape& tape, const Node& node) {
    tape.input(node, 0).gradients().middleCols(node.indices[0], node.columns) += node.gradients();
  };
  Tape& tape = a.tape();
  Node& made = tape.make(a.rows(), count, {a}, backward);
  made.indices = tape.keep(std::span(&first, 1));
  made.values() = a.value().middleCols(first, count);
  return tape.last();
}

Var slice_rows(Var a, Index first, Index count) {
  const auto backward = [](Tape& tape, const Node& node) {
    tape.input(node, 0).gradients().middleRows(node.indices[0], node.rows) += node.gradients();
  };
  Tape& tape = a.tape();
  Node& made = tape.make(count, a.columns(), {a}, backward);
  made.indices = tape.keep(std::span(&first, 1));
  made.values() = a.value().middleRows(first, count);
  return tape.last();
}

Var gather_rows(Var a, std::span<const Index> indices) {
  const auto backward = [](Tape& tape, const Node& node) {
    View to = tape.input(node, 0).gradients();
    const View from = node.gradients();
    for (Index i = 0; i < node.rows; ++i) {
      to.row(node.indices[static_cast<std::size_t>(i)]) += from.row(i);
    }
  };
  Tape& tape = a.tape();
  Node& made = tape.make(static_cast<Index>(indices.size()), a.columns(), {a}, backward);
  made.indices = tape.keep(indices);
  View to = made.values();
  const ConstView from = a.value();
  for (Index i = 0; i < made.rows; ++i) {
    assert(indices[static_cast<std::size_t>(i)] < a.rows());
    to.row(i) = from.row(indices[static_cast<std::size_t>(i)]);
  }
  return tape.last();
}

Var add_rows(Var a, Var b, std::span<const Index> rows) {
  assert(a.rows() == b.rows() && a.columns() == b.columns());
  const auto backward = [](Tape& tape, const Node& node) {
    const Node &all = tape.input(node, 0), &some = tape.input(node, 1);
    if (all.gradient) all.gradients() += node.gradients();
    if (!some.gradient) return;
    for (const Index row : node.indices) some.gradients().row(row) += node.gradients().row(row);
  };
  Tape& tape = a.tape();
  Node& made = tape.make(a.rows(), a.columns(), {a, b}, backward);
  made.indices = rows;
  made.values() = a.value();
  for (const Index row : rows) made.values().row(row) += b.value().row(row);
  return tape.last();
}

Var reshape(Var a, Index rows, Index columns) {
  assert(rows * columns == a.rows() * a.columns());
  const auto backward = [](Tape& tape, const Node& node) {
    double* to = tape.input(node, 0).gradient;
    for (Index i = 0; i < node.size(); ++i) to[i] += node.gradient[i];
  };
  const Node& made = a.tape().make(rows, columns, {a}, backward);
  std::copy_n(a.value().data(), made.size(), made.value);
  return a.tape().last();
}

Var sum(Var a) {
  const auto backward = [](Tape& tape, const Node& node) {
    tape.input(node, 0).gradients().array() += node.gradient[0];
  };
  const Node& made = a.tape().make(1, 1, {a}, backward);
  const double* from = a.value().data();
  double total = 0;  // in order: Eigen's own sum depends on the vector registers
  for (Index i = 0; i < a.rows() * a.columns(); ++i) total += from[i];
  made.value[0] = total;
  return a.tape().last();
}

Var mean(Var a) { return scale(sum(a), 1.0 / static_cast<double>(a.rows() * a.columns())); }

Var sum_rows(Var a) {
  const auto backward = [](Tape& tape, const Node& node) {
    View to = tape.input(node, 0).gradients();
    for (Index i = 0; i < to.rows(); ++i) to.row(i) += node.gradients();
  };
  const Node& made = a.tape().make(1, a.columns(), {a}, backward);
  made.values().setZero();
  for (Index i = 0; i < a.rows(); ++i) made.values() += a.value().row(i);
  return a.tape().last();
}

Var sum_columns(Var a) {
  const auto backward = [](Tape& tape, const Node& node) {
    View to = tape.input(node, 0).gradients();
    for (Index i = 0; i < to.rows(); ++i) to.row(i).array() += node.gradient[i];
  };
  const Node& made = a.tape().make(a.rows(), 1, {a}, backward);
  for (Index i = 0; i < a.rows(); ++i) {
    double total = 0;
    for (Index j = 0; j < a.columns(); ++j) total += a.value()(i, j);
    made.value[i] = total;
  }
  return a.tape().last();
}

}  // namespace placer::nn

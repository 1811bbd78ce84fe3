#include "nn/operations.hpp"

#include <algorithm>
#include <cassert>

#include "nn/shared_out.hpp"

namespace placer::nn {
namespace {

/// to = from, or to += from, number by number.
void copy_numbers(const double* from, double* to, Index count) {
  share_out(count, kMove,
            [&](Index first, Index last) { std::copy(from + first, from + last, to + first); });
}
void add_numbers(const double* from, double* to, Index count) {
  share_out(count, kMove, [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) to[i] += from[i];
  });
}

}  // namespace

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
    if (all.gradient) add_numbers(node.gradient, all.gradient, node.size());
    if (!some.gradient) return;
    for (const Index row : node.indices) some.gradients().row(row) += node.gradients().row(row);
  };
  Tape& tape = a.tape();
  Node& made = tape.make(a.rows(), a.columns(), {a, b}, backward);
  made.indices = rows;
  copy_numbers(a.value().data(), made.value, made.size());
  for (const Index row : rows) made.values().row(row) += b.value().row(row);
  return tape.last();
}

Var reshape(Var a, Index rows, Index columns) {
  assert(rows * columns == a.rows() * a.columns());
  const auto backward = [](Tape& tape, const Node& node) {
    add_numbers(node.gradient, tape.input(node, 0).gradient, node.size());
  };
  const Node& made = a.tape().make(rows, columns, {a}, backward);
  copy_numbers(a.value().data(), made.value, made.size());
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

}  // namespace placer::nn

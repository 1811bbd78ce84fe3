#include <cassert>

#include "nn/functions.hpp"
#include "nn/operations.hpp"

namespace placer::nn {
namespace {

std::size_t size(const Node& node) { return static_cast<std::size_t>(node.size()); }

/// A node of a's shape; `compute(node, values of a)` sets its values.
template <class Compute>
Var unary(Var a, void (*backward)(Tape&, const Node&), const Compute& compute) {
  Node& made = a.tape().make(a.rows(), a.columns(), {a}, backward);
  compute(made, a.value());
  return a.tape().last();
}

enum class Shape { kSame, kRow, kColumn };

Shape shape_of(const Node& a, const Node& b) {
  if (a.rows == b.rows && a.columns == b.columns) return Shape::kSame;
  if (b.rows == 1 && a.columns == b.columns) return Shape::kRow;
  assert(b.columns == 1 && a.rows == b.rows);
  return Shape::kColumn;
}

template <class Function>
void for_pairs(const Node& a, const Node& b, const Function& function) {
  const Shape shape = shape_of(a, b);
  if (shape == Shape::kSame) {
    for (Index i = 0; i < a.size(); ++i) function(i, i);
    return;
  }
  for (Index i = 0; i < a.rows; ++i) {
    const Index first = i * a.columns;
    for (Index j = 0; j < a.columns; ++j) function(first + j, shape == Shape::kRow ? j : i);
  }
}

void add_backward(Tape& tape, const Node& node) {
  const Node &a = tape.input(node, 0), &b = tape.input(node, 1);
  if (a.gradient) a.gradients() += node.gradients();
  if (!b.gradient) return;
  for_pairs(a, b, [&](Index i, Index j) { b.gradient[j] += node.gradient[i]; });
}

void multiply_backward(Tape& tape, const Node& node) {
  const Node &a = tape.input(node, 0), &b = tape.input(node, 1);
  if (a.gradient) {
    for_pairs(a, b, [&](Index i, Index j) { a.gradient[i] += node.gradient[i] * b.value[j]; });
  }
  if (b.gradient) {
    for_pairs(a, b, [&](Index i, Index j) { b.gradient[j] += node.gradient[i] * a.value[i]; });
  }
}

template <class Function>
Var binary(Var a, Var b, void (*backward)(Tape&, const Node&), const Function& function) {
  Tape& tape = a.tape();
  const Node& made = tape.make(a.rows(), a.columns(), {a, b}, backward);
  const Node &left = tape.input(made, 0), &right = tape.input(made, 1);
  for_pairs(left, right,
            [&](Index i, Index j) { made.value[i] = function(left.value[i], right.value[j]); });
  return tape.last();
}

}  // namespace

Var add(Var a, Var b) {
  return binary(a, b, add_backward, [](double x, double y) { return x + y; });
}

Var multiply(Var a, Var b) {
  return binary(a, b, multiply_backward, [](double x, double y) { return x * y; });
}

Var scale(Var a, double factor) {
  const auto backward = [](Tape& tape, const Node& node) {
    tape.input(node, 0).gradients() += node.number * node.gradients();
  };
  return unary(a, backward, [&](Node& made, const ConstView& x) {
    made.number = factor;
    made.values() = factor * x;
  });
}

Var relu(Var a) {
  const auto backward = [](Tape& tape, const Node& node) {
    const Node& to = tape.input(node, 0);
    for (Index i = 0; i < node.size(); ++i) {
      to.gradient[i] += node.value[i] > 0 ? node.gradient[i] : 0.0;
    }
  };
  return unary(a, backward,
               [](Node& made, const ConstView& x) { made.values() = x.array().max(0.0).matrix(); });
}

Var tanh(Var a) {
  const auto backward = [](Tape& tape, const Node& node) {
    const auto y = node.values().array();
    tape.input(node, 0).gradients().array() += node.gradients().array() * (1.0 - y * y);
  };
  return unary(a, backward,
               [](Node& made, const ConstView& x) { tanh_all(x.data(), made.value, size(made)); });
}

Var sigmoid(Var a) {
  const auto backward = [](Tape& tape, const Node& node) {
    const auto y = node.values().array();
    tape.input(node, 0).gradients().array() += node.gradients().array() * y * (1.0 - y);
  };
  return unary(a, backward, [](Node& made, const ConstView& x) {
    sigmoid_all(x.data(), made.value, size(made));
  });
}

Var stop_gradient(Var a) {
  return unary(a, nullptr, [](Node& made, const ConstView& x) { made.values() = x; });
}

}  // namespace placer::nn

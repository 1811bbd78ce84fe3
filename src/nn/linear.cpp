#include <cassert>

#include "nn/functions.hpp"
#include "nn/operations.hpp"
#include "nn/shared_out.hpp"

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

/// The node's values: a times b.
void set_product(const Node& made, Var a, const Packed& b) {
  set_product(made.value, plain(a.value().data(), a.columns()), b, made.rows);
}

// What `linear` makes of each row: the value, and of d(value) the gradient before. kCost: how many
// multiplications an element takes, about.

struct Identity {
  static constexpr Index kCost = kMove;
  static void apply(double*, Index) {}
  static void differentiate(const double*, double*, Index) {}
};

struct Relu {
  static constexpr Index kCost = kMove;
  static void apply(double* row, Index columns) {
    for (Index j = 0; j < columns; ++j) row[j] = row[j] > 0 ? row[j] : 0.0;
  }
  static void differentiate(const double* value, double* gradient, Index columns) {
    for (Index j = 0; j < columns; ++j) gradient[j] = value[j] > 0 ? gradient[j] : 0.0;
  }
};

struct LstmGates {
  static constexpr Index kCost = 16;
  static void apply(double* row, Index columns) {
    const auto hidden = static_cast<std::size_t>(columns / 4);
    sigmoid_all(row, row, 3 * hidden);
    tanh_all(row + 3 * hidden, row + 3 * hidden, hidden);
  }
  static void differentiate(const double* y, double* gradient, Index columns) {
    const Index squashed = columns / 4 * 3;
    for (Index j = 0; j < squashed; ++j) gradient[j] = gradient[j] * y[j] * (1 - y[j]);
    for (Index j = squashed; j < columns; ++j) gradient[j] *= 1 - y[j] * y[j];
  }
};

/// Leaves the gradient before the activation.
template <class Activation>
void linear_backward(Tape& tape, const Node& node) {
  const Node& bias = tape.input(node, 2);
  share_out(node.rows, node.columns * kMove, [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      const Index at = i * node.columns;
      Activation::differentiate(node.value + at, node.gradient + at, node.columns);
    }
  });
  if (bias.gradient && bias.rows == 1) {
    tape.add_row_sums(node);
  } else if (bias.gradient) {
    for (Index i = 0; i < node.size(); ++i) bias.gradient[i] += node.gradient[i];
  }
  matmul_backward(tape, node);
}

template <class Activation>
Var linear_with(Var x, Var weight, Var bias) {
  assert(x.columns() == weight.rows() && weight.columns() == bias.columns());
  assert(bias.rows() == 1 || bias.rows() == x.rows());
  Tape& tape = x.tape();
  const Node& made =
      tape.make(x.rows(), weight.columns(), {x, weight, bias}, linear_backward<Activation>);
  set_product(made, x, tape.packed(made, 1));
  const ConstView biases = bias.value();
  share_out(made.rows, made.columns * Activation::kCost, [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      double* row = made.value + i * made.columns;
      const double* more = biases.data() + (biases.rows() == 1 ? 0 : i * made.columns);
      for (Index j = 0; j < made.columns; ++j) row[j] += more[j];
      Activation::apply(row, made.columns);
    }
  });
  return tape.last();
}

}  // namespace

Var matmul(Var a, Var b) {
  assert(a.columns() == b.rows());
  Tape& tape = a.tape();
  const Node& made = tape.make(a.rows(), b.columns(), {a, b}, matmul_backward);
  set_product(made, a, tape.packed(made, 1));
  return tape.last();
}

Var matmul_transposed(Var a, Var b) {
  assert(a.columns() == b.columns());
  Tape& tape = a.tape();
  const Node& made = tape.make(a.rows(), b.rows(), {a, b}, matmul_transposed_backward);
  set_product(made, a, tape.packed_transposed(made, 1));
  return tape.last();
}

Var linear(Var x, Var weight, Var bias) { return linear_with<Identity>(x, weight, bias); }

Var linear_relu(Var x, Var weight, Var bias) { return linear_with<Relu>(x, weight, bias); }

Var lstm_gates(Var x, Var weight, Var bias) {
  assert(weight.columns() % 4 == 0);
  return linear_with<LstmGates>(x, weight, bias);
}

}  // namespace placer::nn

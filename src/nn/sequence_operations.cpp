#include <cassert>

#include "nn/functions.hpp"
#include "nn/operations.hpp"
#include "nn/shared_out.hpp"

namespace placer::nn {
namespace {

/// row(i) for each row of a part of an LSTM step.
template <class Row>
void for_rows(const Node& node, const Row& row) {
  constexpr Index kCost = 4;  // of an element
  share_out(node.rows, node.columns * kCost, [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) row(i);
  });
}

void cell_backward(Tape& tape, const Node& node) {
  const Node &gates = tape.input(node, 0), &cell = tape.input(node, 1);
  const Index width = node.columns;
  for_rows(node, [&](Index i) {
    const double* gate = gates.value + i * 4 * width;
    const double* before = cell.value + i * width;
    const double* above = node.gradient + i * width;
    if (gates.gradient) {
      double* to = gates.gradient + i * 4 * width;
      for (Index j = 0; j < width; ++j) to[j] += above[j] * gate[3 * width + j];
      for (Index j = 0; j < width; ++j) to[width + j] += above[j] * before[j];
      for (Index j = 0; j < width; ++j) to[3 * width + j] += above[j] * gate[j];
    }
    if (!cell.gradient) return;
    double* to = cell.gradient + i * width;
    for (Index j = 0; j < width; ++j) to[j] += above[j] * gate[width + j];
  });
}

/// saved: tanh(c)
void output_backward(Tape& tape, const Node& node) {
  const Node &gates = tape.input(node, 0), &cell = tape.input(node, 1);
  const Index width = node.columns;
  for_rows(node, [&](Index i) {
    const double* gate = gates.value + i * 4 * width + 2 * width;
    const double* squashed = node.saved.data() + i * width;
    const double* above = node.gradient + i * width;
    if (gates.gradient) {
      double* to = gates.gradient + i * 4 * width + 2 * width;
      for (Index j = 0; j < width; ++j) to[j] += above[j] * squashed[j];
    }
    if (!cell.gradient) return;
    double* to = cell.gradient + i * width;
    for (Index j = 0; j < width; ++j) {
      to[j] += above[j] * gate[j] * (1 - squashed[j] * squashed[j]);
    }
  });
}

AdditiveScores scores_of(Tape& tape, const Node& node) {
  const Node &queries = tape.input(node, 0), &keys = tape.input(node, 1);
  return {at(queries.rows),          at(keys.rows),
          at(queries.columns),       node.saved.data(),
          tape.input(node, 3).value, tape.input(node, 2).value};
}

/// saved: exp(2 x) of the queries; adds up gradients in scratch of its own, so that those without
/// one need no case.
void scores_backward(Tape& tape, const Node& node) {
  const auto target = [&](const Node& of) {
    if (of.gradient) return of.gradient;
    const std::span<double> unused = tape.scratch(at(of.size()));
    std::fill(unused.begin(), unused.end(), 0.0);
    return unused.data();
  };
  const Node &queries = tape.input(node, 0), &keys = tape.input(node, 1);
  ScoreDerivatives all = {scores_of(tape, node), node.gradient, target(queries), target(keys),
                          target(tape.input(node, 2))};
  if (keys.lent) {
    tape.put_off().scores.push_back(all);
    tape.put_off().scores.back().queries = nullptr;
    all.keys = all.weights = nullptr;
  }
  additive_scores_backward(std::span(&all, 1));
}

void fill_exp_twice(const Node& of, double* to) {
  constexpr double kMost = 150;  // tanh is 1 long before
  for (Index i = 0; i < of.size(); ++i) to[i] = 2 * std::clamp(of.value[i], -kMost, kMost);
  exp_all(to, to, at(of.size()));
}

}  // namespace

Var lstm_cell(Var gates, Var cell) {
  assert(gates.columns() == 4 * cell.columns() && gates.rows() == cell.rows());
  Tape& tape = gates.tape();
  const Node& made = tape.make(cell.rows(), cell.columns(), {gates, cell}, cell_backward);
  const Index width = made.columns;
  const ConstView gate_values = gates.value(), cells = cell.value();
  for_rows(made, [&](Index i) {
    const double* gate = gate_values.data() + i * 4 * width;
    const double* before = cells.data() + i * width;
    double* to = made.value + i * width;
    for (Index j = 0; j < width; ++j) {
      to[j] = gate[width + j] * before[j] + gate[j] * gate[3 * width + j];
    }
  });
  return tape.last();
}

Var lstm_output(Var gates, Var cell) {
  assert(gates.columns() == 4 * cell.columns() && gates.rows() == cell.rows());
  Tape& tape = gates.tape();
  Node& made = tape.make(cell.rows(), cell.columns(), {gates, cell}, output_backward);
  made.saved = tape.scratch(at(made.size()));
  tanh_all(cell.value().data(), made.saved.data(), made.saved.size());
  const Index width = made.columns;
  const ConstView gate_values = gates.value();
  for_rows(made, [&](Index i) {
    const double* gate = gate_values.data() + i * 4 * width + 2 * width;
    const double* squashed = made.saved.data() + i * width;
    double* to = made.value + i * width;
    for (Index j = 0; j < width; ++j) to[j] = gate[j] * squashed[j];
  });
  return tape.last();
}

Var exp_twice(Var x) {
  const Node& made = x.tape().make(x.rows(), x.columns(), {x}, nullptr);
  fill_exp_twice(x.tape().input(made, 0), made.value);
  return x.tape().last();
}

Var additive_scores(Var queries, Var keys, Var keys_exp_twice, Var weights) {
  assert(queries.columns() == keys.columns() && queries.columns() == weights.columns());
  Tape& tape = queries.tape();
  Node& made = tape.make(queries.rows(), keys.rows(), {queries, keys, weights, keys_exp_twice},
                         scores_backward);
  const Node& query = tape.input(made, 0);
  made.saved = tape.scratch(at(query.size()));
  fill_exp_twice(query, made.saved.data());
  additive_scores(scores_of(tape, made), made.value);
  return tape.last();
}

Var relative_shift(Var scores, Index keys) {
  const Index queries = scores.rows();
  assert(scores.columns() == queries + keys - 1);
  const auto backward = [](Tape& tape, const Node& node) {
    View to = tape.input(node, 0).gradients();
    for (Index i = 0; i < node.rows; ++i) {
      to.row(i).segment(node.rows - 1 - i, node.columns) += node.gradients().row(i);
    }
  };
  const Node& made = scores.tape().make(queries, keys, {scores}, backward);
  for (Index i = 0; i < queries; ++i) {
    made.values().row(i) = scores.value().row(i).segment(queries - 1 - i, keys);
  }
  return scores.tape().last();
}

}  // namespace placer::nn

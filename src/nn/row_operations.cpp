#include <algorithm>
#include <cassert>
#include <cmath>

#include "nn/functions.hpp"
#include "nn/operations.hpp"
#include "placer/base/real.hpp"

namespace placer::nn {
namespace {

double dot(const double* a, const double* b, Index count) {
  double sum = 0;
  for (Index i = 0; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

/// The softmax of each row into `to`.
void softmax_rows(const ConstView& logits, double* to) {
  const Index columns = logits.cols();
  for (Index i = 0; i < logits.rows(); ++i, to += columns) {
    const double* from = logits.data() + i * columns;
    const double largest = *std::max_element(from, from + columns);
    for (Index j = 0; j < columns; ++j) to[j] = from[j] - largest;
    exp_all(to, to, static_cast<std::size_t>(columns));
    double sum = 0;
    for (Index j = 0; j < columns; ++j) sum += to[j];
    for (Index j = 0; j < columns; ++j) to[j] /= sum;
  }
}

double log_sum_exp(const double* row, const double* probabilities, Index columns) {
  // The logarithm of the largest entry's probability, which is at least 1 / columns.
  const Index at = std::max_element(row, row + columns) - row;
  return row[at] - portable_log(probabilities[at]);
}

}  // namespace

Var softmax(Var a) {
  const auto backward = [](Tape& tape, const Node& node) {
    View to = tape.input(node, 0).gradients();
    for (Index i = 0; i < node.rows; ++i) {
      const double* y = node.value + i * node.columns;
      const double* above = node.gradient + i * node.columns;
      const double inner = dot(y, above, node.columns);
      for (Index j = 0; j < node.columns; ++j) to(i, j) += y[j] * (above[j] - inner);
    }
  };
  const Node& made = a.tape().make(a.rows(), a.columns(), {a}, backward);
  softmax_rows(a.value(), made.value);
  return a.tape().last();
}

Var log_softmax(Var a) {
  const auto backward = [](Tape& tape, const Node& node) {
    View to = tape.input(node, 0).gradients();
    for (Index i = 0; i < node.rows; ++i) {
      const double* probability = node.saved.data() + i * node.columns;
      const double* above = node.gradient + i * node.columns;
      double total = 0;
      for (Index j = 0; j < node.columns; ++j) total += above[j];
      for (Index j = 0; j < node.columns; ++j) to(i, j) += above[j] - probability[j] * total;
    }
  };
  Tape& tape = a.tape();
  Node& made = tape.make(a.rows(), a.columns(), {a}, backward);
  made.saved = tape.scratch(static_cast<std::size_t>(made.size()));
  softmax_rows(a.value(), made.saved.data());
  for (Index i = 0; i < made.rows; ++i) {
    const double* row = a.value().data() + i * made.columns;
    const double log_sum = log_sum_exp(row, made.saved.data() + i * made.columns, made.columns);
    for (Index j = 0; j < made.columns; ++j) made.value[i * made.columns + j] = row[j] - log_sum;
  }
  return tape.last();
}

Var log_softmax_pick(Var logits, std::span<const Index> choices) {
  assert(static_cast<Index>(choices.size()) == logits.rows());
  const auto backward = [](Tape& tape, const Node& node) {
    View to = tape.input(node, 0).gradients();
    for (Index i = 0; i < node.rows; ++i) {
      const double* probability = node.saved.data() + i * to.cols();
      for (Index j = 0; j < to.cols(); ++j) to(i, j) -= node.gradient[i] * probability[j];
      to(i, node.indices[static_cast<std::size_t>(i)]) += node.gradient[i];
    }
  };
  Tape& tape = logits.tape();
  const Index columns = logits.columns();
  Node& made = tape.make(logits.rows(), 1, {logits}, backward);
  made.indices = tape.keep(choices);
  made.saved = tape.scratch(static_cast<std::size_t>(logits.rows() * columns));
  softmax_rows(logits.value(), made.saved.data());
  for (Index i = 0; i < made.rows; ++i) {
    const double* row = logits.value().data() + i * columns;
    made.value[i] = row[choices[static_cast<std::size_t>(i)]] -
                    log_sum_exp(row, made.saved.data() + i * columns, columns);
  }
  return tape.last();
}

Var softmax_entropy(Var logits) {
  // d H / d u_j = -q_j (log q_j + H)
  const auto backward = [](Tape& tape, const Node& node) {
    const Node& from = tape.input(node, 0);
    for (Index i = 0; i < node.rows; ++i) {
      const double* probability = node.saved.data() + i * from.columns;
      const double* row = from.value + i * from.columns;
      const double log_sum = log_sum_exp(row, probability, from.columns);
      for (Index j = 0; j < from.columns; ++j) {
        from.gradient[i * from.columns + j] -=
            node.gradient[i] * probability[j] * (row[j] - log_sum + node.value[i]);
      }
    }
  };
  Tape& tape = logits.tape();
  const Index columns = logits.columns();
  Node& made = tape.make(logits.rows(), 1, {logits}, backward);
  made.saved = tape.scratch(static_cast<std::size_t>(logits.rows() * columns));
  softmax_rows(logits.value(), made.saved.data());
  for (Index i = 0; i < made.rows; ++i) {
    const double* row = logits.value().data() + i * columns;
    const double* probability = made.saved.data() + i * columns;
    made.value[i] = log_sum_exp(row, probability, columns) - dot(row, probability, columns);
  }
  return tape.last();
}

Var layer_norm(Var a, Var gain, Var bias) {
  // saved: the normalized rows, then 1 / deviation of each row
  const auto backward = [](Tape& tape, const Node& node) {
    const Node &from = tape.input(node, 0), &gains = tape.input(node, 1);
    const Node& biases = tape.input(node, 2);
    const Index columns = node.columns;
    for (Index i = 0; i < node.rows; ++i) {
      const double* unit = node.saved.data() + i * columns;
      const double* above = node.gradient + i * columns;
      double mean = 0, slope = 0;
      for (Index j = 0; j < columns; ++j) {
        if (gains.gradient) gains.gradient[j] += above[j] * unit[j];
        if (biases.gradient) biases.gradient[j] += above[j];
        mean += above[j] * gains.value[j] / static_cast<double>(columns);
        slope += above[j] * gains.value[j] * unit[j] / static_cast<double>(columns);
      }
      if (!from.gradient) continue;
      const double inverse = node.saved[static_cast<std::size_t>(node.size() + i)];
      for (Index j = 0; j < columns; ++j) {
        from.gradient[i * columns + j] +=
            inverse * (above[j] * gains.value[j] - mean - slope * unit[j]);
      }
    }
  };
  constexpr double kEpsilon = 1e-6;  // added to the variance
  Tape& tape = a.tape();
  const Index columns = a.columns();
  Node& made = tape.make(a.rows(), columns, {a, gain, bias}, backward);
  made.saved = tape.scratch(static_cast<std::size_t>(made.size() + made.rows));
  for (Index i = 0; i < made.rows; ++i) {
    const double* from = a.value().data() + i * columns;
    double mean = 0, variance = 0;
    for (Index j = 0; j < columns; ++j) mean += from[j] / static_cast<double>(columns);
    for (Index j = 0; j < columns; ++j) {
      variance += (from[j] - mean) * (from[j] - mean) / static_cast<double>(columns);
    }
    const double inverse = 1.0 / std::sqrt(variance + kEpsilon);
    made.saved[static_cast<std::size_t>(made.size() + i)] = inverse;
    for (Index j = 0; j < columns; ++j) {
      const double unit = (from[j] - mean) * inverse;
      made.saved[static_cast<std::size_t>(i * columns + j)] = unit;
      made.value[i * columns + j] = unit * gain.value()(0, j) + bias.value()(0, j);
    }
  }
  return tape.last();
}

Var normalize_rows(Var a) {
  const auto backward = [](Tape& tape, const Node& node) {
    View to = tape.input(node, 0).gradients();
    for (Index i = 0; i < node.rows; ++i) {
      const double* y = node.value + i * node.columns;
      const double* above = node.gradient + i * node.columns;
      const double inner = dot(y, above, node.columns);
      const double inverse = node.saved[static_cast<std::size_t>(i)];
      for (Index j = 0; j < node.columns; ++j) to(i, j) += inverse * (above[j] - y[j] * inner);
    }
  };
  constexpr double kLeastNorm = 1e-12;
  Tape& tape = a.tape();
  Node& made = tape.make(a.rows(), a.columns(), {a}, backward);
  made.saved = tape.scratch(static_cast<std::size_t>(made.rows));
  for (Index i = 0; i < made.rows; ++i) {
    const double* from = a.value().data() + i * made.columns;
    const double inverse = 1.0 / std::max(kLeastNorm, std::sqrt(dot(from, from, made.columns)));
    made.saved[static_cast<std::size_t>(i)] = inverse;
    for (Index j = 0; j < made.columns; ++j) {
      made.value[i * made.columns + j] = from[j] * inverse;
    }
  }
  return tape.last();
}

}  // namespace placer::nn

#include "search/learned/sequence_policy.hpp"

#include <algorithm>

#include "nn/functions.hpp"
#include "placer/base/real.hpp"

namespace placer {

using nn::Index;
using nn::Matrix;
using nn::Tape;
using nn::Var;

namespace {

Index encoder_width(const SequencePolicy::Shape& shape) {
  return shape.bidirectional ? 2 * shape.hidden : shape.hidden;
}

}  // namespace

Matrix probabilities_of(const Rollout& rollout) {
  Tape tape;
  return softmax(tape.constant(rollout.logits.value())).value();
}

void draw_choices(const Matrix& logits, Rng* rng, std::span<Index> choices) {
  const auto columns = static_cast<std::size_t>(logits.cols());
  std::vector<double> weights(columns);
  for (std::size_t row = 0; row < choices.size(); ++row) {
    const std::span<const double> from(logits.data() + row * columns, columns);
    const std::size_t likeliest =
        static_cast<std::size_t>(std::ranges::max_element(from) - from.begin());
    choices[row] = static_cast<Index>(likeliest);
    if (rng == nullptr) continue;
    for (std::size_t j = 0; j < columns; ++j) weights[j] = from[j] - from[likeliest];
    nn::exp_all(weights.data(), weights.data(), columns);
    double left = 0;
    for (const double weight : weights) left += weight;
    left *= rng->uniform();
    for (std::size_t j = 0; j < columns; ++j) {
      if (weights[j] < 1e-300) continue;  // barred
      choices[row] = static_cast<Index>(j);
      if (left < weights[j]) break;
      left -= weights[j];
    }
  }
}

Matrix reinforce_gradient(Matrix probabilities, std::span<const Index> choices,
                          std::span<const double> advantage) {
  const std::size_t rows = advantage.size();
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const auto row = static_cast<Index>(i);
    probabilities(row, choices[i]) -= 1;
    probabilities.row(row) *= advantage[i % rows] / static_cast<double>(rows);
  }
  return probabilities;
}

Matrix entropy_gradient(const Matrix& probabilities) {
  Matrix result = Matrix::Zero(probabilities.rows(), probabilities.cols());
  for (Index row = 0; row < result.rows(); ++row) {
    double entropy = 0;
    for (const double p : probabilities.row(row)) {
      if (p > 0) entropy -= p * portable_log(p);
    }
    for (Index column = 0; column < result.cols(); ++column) {
      const double p = probabilities(row, column);
      if (p > 0) result(row, column) = -p * (portable_log(p) + entropy);
    }
  }
  return result;
}

SequencePolicy::SequencePolicy(nn::Parameters& parameters, const Shape& shape, Rng rng)
    : shape_(shape),
      decoder_(parameters, "decoder", shape.device_embedding + encoder_width(shape), shape.hidden,
               rng),
      attention_(parameters, "attention", shape.hidden, encoder_width(shape), shape.attention, rng),
      devices_(&parameters.uniform("devices", shape.devices + 1, shape.device_embedding, 0.5, rng)),
      context_(&parameters.glorot("context", encoder_width(shape), 4 * shape.hidden, rng)),
      first_output_(parameters, "first_output", encoder_width(shape), shape.hidden, rng),
      first_cell_(parameters, "first_cell", encoder_width(shape), shape.hidden, rng),
      output_(parameters, "output", shape.hidden, shape.devices, rng),
      context_output_(
          &parameters.glorot("context_output", encoder_width(shape), shape.devices, rng)) {
  if (shape.bidirectional) {
    both_encoder_.emplace(parameters, "encoder", shape.inputs, shape.hidden, rng);
  } else {
    encoder_.emplace(parameters, "encoder", shape.inputs, shape.hidden, rng);
  }
}

Var SequencePolicy::bounded(Var logits) const {
  if (shape_.bound == 0) return logits;
  return scale(nn::tanh(scale(logits, 1 / shape_.temperature)), shape_.bound);
}

Rollout SequencePolicy::draw(Var items, const Matrix& added, Index rows, Rng* rng) const {
  return unroll(items, added, rows, {}, rng);
}

Rollout SequencePolicy::repeat(Var items, const Matrix& added, Index rows,
                               std::span<const Index> choices) const {
  return unroll(items, added, rows, choices, nullptr);
}

Rollout SequencePolicy::unroll(Var items, const Matrix& added, Index rows,
                               std::span<const Index> choices, Rng* rng) const {
  Tape& tape = items.tape();
  const Index steps = items.rows();
  const nn::Lstm::Run encoded = encoder_ ? encoder_->run(items) : both_encoder_->run(items);
  const nn::AdditiveAttention::Keys keys = attention_.keys(encoded.outputs);
  // The gates' sums are one product: of the state, of the shares of attention with what the items
  // mean to the gates, and of the last device, 1 of n, with what the devices mean.
  const Var input = decoder_.input(tape);
  const Var device_gates =
      matmul(tape.parameter(*devices_), slice_rows(input, 0, shape_.device_embedding));
  const Var item_gates = add(
      matmul(encoded.outputs, slice_rows(input, shape_.device_embedding, encoder_width(shape_))),
      decoder_.bias(tape));
  const Var weights = nn::concat_rows(
      {decoder_.recurrent(tape), matmul(encoded.outputs, tape.parameter(*context_)), device_gates});
  const Var item_logits = matmul(encoded.outputs, tape.parameter(*context_output_));

  const std::vector<Index> zeros(static_cast<std::size_t>(rows), 0);
  nn::Lstm::State state = {gather_rows(nn::tanh(first_output_(encoded.last.output)), zeros),
                           gather_rows(nn::tanh(first_cell_(encoded.last.cell)), zeros)};
  Rollout rollout;
  rollout.choices.assign(choices.begin(), choices.end());
  rollout.choices.resize(static_cast<std::size_t>(steps * rows));
  std::vector<Var> logits;
  Matrix last = Matrix::Zero(rows, shape_.devices + 1);
  last.col(shape_.devices).setOnes();
  for (Index step = 0; step < steps; ++step) {
    const Var shares = attention_.shares(state.output, keys);
    const Var seen = nn::concat_columns({state.output, shares, tape.constant(last)});
    const Var gates = nn::lstm_gates(seen, weights, slice_rows(item_gates, step, 1));
    state = nn::Lstm::step_of(gates, state.cell);
    const Var plain = bounded(add(output_(state.output), matmul(shares, item_logits)));
    logits.push_back(add(plain, tape.constant(added.row(step))));
    const auto chosen =
        std::span(rollout.choices)
            .subspan(static_cast<std::size_t>(step * rows), static_cast<std::size_t>(rows));
    if (choices.empty()) draw_choices(logits.back().value(), rng, chosen);
    last.setZero();
    for (Index row = 0; row < rows; ++row) last(row, chosen[static_cast<std::size_t>(row)]) = 1;
  }
  rollout.logits = nn::concat_rows(logits);
  return rollout;
}

}  // namespace placer

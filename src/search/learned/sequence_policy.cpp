#include "search/learned/sequence_policy.hpp"

#include <algorithm>

#include "nn/functions.hpp"
#include "nn/row_parts.hpp"
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

/// Numbers from 0 to 1; none if `rng` is null.
std::vector<double> drawn_by(Rng* rng, std::size_t count) {
  std::vector<double> drawn(rng == nullptr ? 0 : count);
  for (double& number : drawn) number = rng->uniform();
  return drawn;
}

}  // namespace

Matrix probabilities_of(const Rollout& rollout) {
  Tape tape;
  return softmax(tape.constant(rollout.logits.value())).value();
}

void draw_choices(const Matrix& logits, std::span<const double> drawn, std::span<Index> choices) {
  const auto columns = static_cast<std::size_t>(logits.cols());
  std::vector<double> weights(columns);
  for (std::size_t row = 0; row < choices.size(); ++row) {
    const std::span<const double> from(logits.data() + row * columns, columns);
    const std::size_t likeliest =
        static_cast<std::size_t>(std::ranges::max_element(from) - from.begin());
    choices[row] = static_cast<Index>(likeliest);
    if (drawn.empty()) continue;
    for (std::size_t j = 0; j < columns; ++j) weights[j] = from[j] - from[likeliest];
    nn::exp_all(weights.data(), weights.data(), columns);
    double left = 0;
    for (const double weight : weights) left += weight;
    left *= drawn[row];
    for (std::size_t j = 0; j < columns; ++j) {
      if (weights[j] < 1e-300) continue;  // barred
      choices[row] = static_cast<Index>(j);
      if (left < weights[j]) break;
      left -= weights[j];
    }
  }
}

void draw_choices(const Matrix& logits, Rng* rng, std::span<Index> choices) {
  draw_choices(logits, drawn_by(rng, choices.size()), choices);
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

/// What the steps of the decoder use of the items.
struct SequencePolicy::Encoded {
  nn::AdditiveAttention::Keys keys;
  std::optional<Var> outputs;  // the encoder's, where attention is summed up over them
  Var gates;                   // from the state, what is attended to and the last device
  Var output, bias, items;     // the logits, from the state and the attention to each item
  nn::Lstm::State first;       // of all rows
  std::vector<Var> own_gates;  // each item's, 1 x 4 hidden

  Encoded on(Tape& tape, nn::RowRange range) const {
    Encoded made = {.keys = keys.on(tape),
                    .outputs = outputs ? std::optional(tape.borrow(*outputs)) : std::nullopt,
                    .gates = tape.borrow(gates),
                    .output = tape.borrow(output),
                    .bias = tape.borrow(bias),
                    .items = tape.borrow(items),
                    .first = {tape.borrow_rows(first.output, range.first, range.count),
                              tape.borrow_rows(first.cell, range.first, range.count)},
                    .own_gates = own_gates};
    for (Var& of : made.own_gates) of = tape.borrow(of);
    return made;
  }
};

/// Whether it takes less than half of the multiplications to sum up the attended items in each step
/// than to work out once what each item means to the gates.
bool SequencePolicy::sums_up(Index items) const {
  const Index width = encoder_width(shape_), gates = 4 * shape_.hidden;
  return items * gates > 2 * width * (items + gates);
}

SequencePolicy::Encoded SequencePolicy::encode(Var items, Index rows) const {
  Tape& tape = items.tape();
  const nn::Lstm::Run encoded = encoder_ ? encoder_->run(items) : both_encoder_->run(items);
  const nn::AdditiveAttention::Keys keys = attention_.keys(encoded.outputs);
  const Var input = decoder_.input(tape);
  const Var device_gates =
      matmul(tape.parameter(*devices_), slice_rows(input, 0, shape_.device_embedding));
  const Var item_gates = add(
      matmul(encoded.outputs, slice_rows(input, shape_.device_embedding, encoder_width(shape_))),
      decoder_.bias(tape));
  const std::vector<Index> zeros(static_cast<std::size_t>(rows), 0);
  const Var context = tape.parameter(*context_);
  const bool summed = sums_up(items.rows());
  const Var seen = summed ? context : matmul(encoded.outputs, context);
  Encoded made = {.keys = keys,
                  .outputs = summed ? std::optional(encoded.outputs) : std::nullopt,
                  .gates = nn::concat_rows({decoder_.recurrent(tape), seen, device_gates}),
                  .output = output_.weight(tape),
                  .bias = output_.bias(tape),
                  .items = matmul(encoded.outputs, tape.parameter(*context_output_)),
                  .first = {gather_rows(nn::tanh(first_output_(encoded.last.output)), zeros),
                            gather_rows(nn::tanh(first_cell_(encoded.last.cell)), zeros)},
                  .own_gates = {}};
  for (Index step = 0; step < items.rows(); ++step) {
    made.own_gates.push_back(slice_rows(item_gates, step, 1));
  }
  for (const Var factor : {made.keys.query, made.gates, made.output, made.items}) {
    tape.lay_out(factor);
  }
  if (made.outputs) tape.lay_out(*made.outputs);
  return made;
}

/// The gates' sums are one product: of the state, of the shares of attention with what the items
/// mean to the gates, or of the attended items, and of the last device, 1 of n, with what the
/// devices mean.
Var SequencePolicy::decode(const Encoded& encoded, const Matrix& added,
                           const Choose& choose) const {
  nn::Lstm::State state = encoded.first;
  Tape& tape = state.output.tape();
  std::vector<Var> logits;
  Matrix last = Matrix::Zero(state.output.rows(), shape_.devices + 1);
  last.col(shape_.devices).setOnes();
  for (const Var own_gates : encoded.own_gates) {
    const auto step = nn::at(logits.size());
    const Var shares = nn::AdditiveAttention::shares(state.output, encoded.keys);
    const Var attended = encoded.outputs ? matmul(shares, *encoded.outputs) : shares;
    const Var seen = nn::concat_columns({state.output, attended, tape.constant(last)});
    const Var gates = nn::lstm_gates(seen, encoded.gates, own_gates);
    state = nn::Lstm::step_of(gates, state.cell);
    const Var plain = bounded(
        add(linear(state.output, encoded.output, encoded.bias), matmul(shares, encoded.items)));
    logits.push_back(add(plain, tape.constant(added.row(step))));
    const std::span<const Index> chosen = choose(step, logits.back().value());
    last.setZero();
    for (std::size_t row = 0; row < chosen.size(); ++row) last(nn::at(row), chosen[row]) = 1;
  }
  return nn::concat_rows(logits);
}

Rollout SequencePolicy::unroll(Var items, const Matrix& added, Index rows,
                               std::span<const Index> choices, Rng* rng) const {
  const Encoded encoded = encode(items, rows);
  Rollout rollout;
  rollout.choices.assign(choices.begin(), choices.end());
  rollout.choices.resize(nn::at(items.rows() * rows));
  const std::vector<double> drawn = drawn_by(rng, rollout.choices.size());
  const auto part = [&](Tape& tape, nn::RowRange range) {
    return decode(encoded.on(tape, range), added, [&](Index step, const Matrix& logits) {
      const auto of_range = [&](auto all) {
        return all.empty() ? all
                           : all.subspan(nn::at(step * rows + range.first), nn::at(range.count));
      };
      const std::span<Index> chosen = of_range(std::span(rollout.choices));
      if (choices.empty()) draw_choices(logits, of_range(std::span(drawn)), chosen);
      return chosen;
    });
  };
  const Index cost = items.rows() * encoded.gates.rows() * encoded.gates.columns();
  rollout.logits = nn::in_row_parts(items.tape(), rows, cost, part);
  return rollout;
}

}  // namespace placer

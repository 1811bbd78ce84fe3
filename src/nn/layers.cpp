#include "nn/layers.hpp"

#include <vector>

namespace placer::nn {

Linear::Linear(Parameters& parameters, const std::string& name, Index inputs, Index outputs,
               Rng& rng)
    : weight_(&parameters.glorot(name + "/weight", inputs, outputs, rng)),
      bias_(&parameters.zeros(name + "/bias", 1, outputs)) {}

Var Linear::operator()(Var x) const { return linear(x, weight(x.tape()), bias(x.tape())); }

LayerNorm::LayerNorm(Parameters& parameters, const std::string& name, Index width)
    : gain_(&parameters.constants(name + "/gain", 1, width, 1)),
      bias_(&parameters.zeros(name + "/bias", 1, width)) {}

Var LayerNorm::operator()(Var x) const {
  return layer_norm(x, x.tape().parameter(*gain_), x.tape().parameter(*bias_));
}

Lstm::Lstm(Parameters& parameters, const std::string& name, Index inputs, Index hidden, Rng& rng)
    : hidden_(hidden),
      input_(&parameters.glorot(name + "/input", inputs, 4 * hidden, rng)),
      recurrent_(&parameters.glorot(name + "/recurrent", hidden, 4 * hidden, rng)),
      bias_(&parameters.zeros(name + "/bias", 1, 4 * hidden)) {
  bias_->value.middleCols(hidden, hidden).setConstant(1);
}

Lstm::State Lstm::start(Tape& tape, Index rows) const {
  return {tape.zeros(rows, hidden_), tape.zeros(rows, hidden_)};
}

Var Lstm::project(Var inputs) const {
  Tape& tape = inputs.tape();
  return linear(inputs, tape.parameter(*input_), tape.parameter(*bias_));
}

Lstm::State Lstm::step_of(Var gates, Var cell) {
  const Var next = lstm_cell(gates, cell);
  return {lstm_output(gates, next), next};
}

Lstm::State Lstm::step(Var projected, const State& before) const {
  return step_of(lstm_gates(before.output, recurrent(projected.tape()), projected), before.cell);
}

Lstm::Run Lstm::run(Var inputs, bool reverse) const {
  const Var projected = project(inputs);
  const Index steps = inputs.rows();
  State state = start(inputs.tape(), 1);
  std::vector<Var> outputs(static_cast<std::size_t>(steps));
  for (Index i = 0; i < steps; ++i) {
    const Index at = reverse ? steps - 1 - i : i;
    state = step(slice_rows(projected, at, 1), state);
    outputs[static_cast<std::size_t>(at)] = state.output;
  }
  return {concat_rows(outputs), state};
}

Lstm::Run BiLstm::run(Var inputs) const {
  const Lstm::Run ahead = forward_.run(inputs), back = backward_.run(inputs, true);
  return {concat_columns({ahead.outputs, back.outputs}),
          {concat_columns({ahead.last.output, back.last.output}),
           concat_columns({ahead.last.cell, back.last.cell})}};
}

AdditiveAttention::AdditiveAttention(Parameters& parameters, const std::string& name,
                                     Index query_width, Index key_width, Index width, Rng& rng)
    : query_(&parameters.glorot(name + "/query", query_width, width, rng)),
      key_(&parameters.glorot(name + "/key", key_width, width, rng)),
      weight_(&parameters.glorot(name + "/weight", 1, width, rng)) {}

AdditiveAttention::Keys AdditiveAttention::Keys::on(Tape& tape) const {
  return {tape.borrow(values), tape.borrow(exp_twice), tape.borrow(query), tape.borrow(weight)};
}

AdditiveAttention::Keys AdditiveAttention::keys(Var items) const {
  Tape& tape = items.tape();
  const Var keys = matmul(items, tape.parameter(*key_));
  return {keys, exp_twice(keys), tape.parameter(*query_), tape.parameter(*weight_)};
}

Var AdditiveAttention::shares(Var queries, const Keys& keys) {
  return softmax(
      additive_scores(matmul(queries, keys.query), keys.values, keys.exp_twice, keys.weight));
}

}  // namespace placer::nn

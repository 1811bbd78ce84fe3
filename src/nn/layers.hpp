#pragma once

#include <string>

#include "nn/operations.hpp"

namespace placer::nn {

// Blocks made of operations. Their parameters belong to a Parameters that outlives them.

/// x W + b
class Linear {
 public:
  Linear(Parameters& parameters, const std::string& name, Index inputs, Index outputs, Rng& rng);
  Var operator()(Var x) const;
  Var weight(Tape& tape) const { return tape.parameter(*weight_); }
  Var bias(Tape& tape) const { return tape.parameter(*bias_); }

 private:
  Parameter *weight_, *bias_;
};

/// Gain and bias of `layer_norm`.
class LayerNorm {
 public:
  LayerNorm(Parameters& parameters, const std::string& name, Index width);
  Var operator()(Var x) const;

 private:
  Parameter *gain_, *bias_;
};

/// Long short-term memory (Hochreiter, Schmidhuber 1997; with forget gates). Gates in the order
/// i, f, o, g; the forget gate's bias begins at 1.
class Lstm {
 public:
  struct State {
    Var output, cell;  // rows x hidden
  };

  Lstm(Parameters& parameters, const std::string& name, Index inputs, Index hidden, Rng& rng);
  Index hidden() const { return hidden_; }

  State start(Tape& tape, Index rows) const;
  /// The inputs' part of the gates, x W + b, for one step or for all steps at once.
  Var project(Var inputs) const;
  // Its weights, to work out the gates elsewhere: inputs x 4 hidden, hidden x 4 hidden,
  // 1 x 4 hidden.
  Var input(Tape& tape) const { return tape.parameter(*input_); }
  Var recurrent(Tape& tape) const { return tape.parameter(*recurrent_); }
  Var bias(Tape& tape) const { return tape.parameter(*bias_); }
  /// `projected` has a row for each of the state's, or one for all.
  State step(Var projected, const State& before) const;
  /// The same step where the gates have been worked out elsewhere.
  static State step_of(Var gates, Var cell);

  struct Run {
    Var outputs;  // steps x hidden
    State last;
  };
  /// Runs over one sequence, with a row of `inputs` for each step; backwards from the last row if
  /// `reverse`.
  Run run(Var inputs, bool reverse = false) const;

 private:
  Index hidden_;
  Parameter *input_, *recurrent_, *bias_;
};

/// Two LSTMs over a sequence, one from either end: outputs side by side, steps x 2 hidden.
class BiLstm {
 public:
  BiLstm(Parameters& parameters, const std::string& name, Index inputs, Index hidden, Rng& rng)
      : forward_(parameters, name + "/forward", inputs, hidden, rng),
        backward_(parameters, name + "/backward", inputs, hidden, rng) {}
  /// Runs both. The last state is that of both ends side by side.
  Lstm::Run run(Var inputs) const;

 private:
  Lstm forward_, backward_;
};

/// Additive attention (Bahdanau, Cho, Bengio 2015).
class AdditiveAttention {
 public:
  AdditiveAttention(Parameters& parameters, const std::string& name, Index query_width,
                    Index key_width, Index width, Rng& rng);
  /// What attention needs of its items, worked out once for all queries, and its weights.
  struct Keys {
    Var values, exp_twice, query, weight;
    Keys on(Tape& tape) const;
  };
  Keys keys(Var items) const;
  /// How much of its attention each query pays to each item: queries x items, where each row sums
  /// to 1.
  static Var shares(Var queries, const Keys& keys);

 private:
  Parameter *query_, *key_, *weight_;
};

}  // namespace placer::nn

#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "nn/layers.hpp"
#include "search/learned/group_features.hpp"

namespace placer {

/// Placements drawn together: a row for each, the steps of the sequence one below the other.
struct Rollout {
  std::vector<nn::Index> choices;  // device of (step * rows + row)
  nn::Var logits;                  // (steps * rows) x devices, on the policy's tape
};

/// An encoder LSTM over a sequence of items, and a decoder LSTM that gives each item a device: one
/// step for each item, additive attention over the encoder's outputs, and the device of the step
/// before as an embedding. After Mirhoseini et al. 2017 and Bahdanau et al. 2015.
class SequencePolicy {
 public:
  struct Shape {
    nn::Index inputs = 0;  // columns of the items
    nn::Index devices = 0;
    nn::Index hidden = 256;
    nn::Index attention = 64;  // width in which queries and keys meet
    nn::Index device_embedding = 20;
    bool bidirectional = false;         // encoder
    double temperature = 1, bound = 0;  // logits: bound tanh(x / temperature); bound 0: x itself
  };
  SequencePolicy(nn::Parameters& parameters, const Shape& shape, Rng rng);

  /// `rows` placements drawn by `rng`, which each step's logits plus `added` (items x devices; may
  /// be a bar or noise) make; the most probable choice of each step where it is null. `items` is on
  /// the tape.
  Rollout draw(nn::Var items, const nn::Matrix& added, nn::Index rows, Rng* rng) const;
  /// An earlier rollout's choices again, with their logits under the weights as they are now.
  Rollout repeat(nn::Var items, const nn::Matrix& added, nn::Index rows,
                 std::span<const nn::Index> choices) const;

 private:
  struct Encoded;
  /// Given the logits of a step, the devices that it chooses.
  using Choose =
      std::function<std::span<const nn::Index>(nn::Index step, const nn::Matrix& logits)>;
  bool sums_up(nn::Index items) const;
  Encoded encode(nn::Var items, nn::Index rows) const;
  nn::Var decode(const Encoded& encoded, const nn::Matrix& added, const Choose& choose) const;
  Rollout unroll(nn::Var items, const nn::Matrix& added, nn::Index rows,
                 std::span<const nn::Index> choices, Rng* rng) const;
  nn::Var bounded(nn::Var logits) const;

  Shape shape_;
  std::optional<nn::Lstm> encoder_;
  std::optional<nn::BiLstm> both_encoder_;
  nn::Lstm decoder_;
  nn::AdditiveAttention attention_;
  nn::Parameter* devices_;                // devices + 1 (none yet) x embedding
  nn::Parameter* context_;                // encoder's width x 4 hidden: attended items in the gates
  nn::Linear first_output_, first_cell_;  // the decoder's start from the encoder's end
  nn::Linear output_;                     // of the decoder's state
  nn::Parameter* context_output_;         // of the attended items
};

/// The softmax of its logits.
nn::Matrix probabilities_of(const Rollout& rollout);

/// Chooses a column in each row by its softmax and a number drawn for it, from 0 to 1; where none
/// is, the first of the largest.
void draw_choices(const nn::Matrix& logits, std::span<const double> drawn,
                  std::span<nn::Index> choices);
/// The same with numbers of `rng`, which may be null.
void draw_choices(const nn::Matrix& logits, Rng* rng, std::span<nn::Index> choices);

/// d loss / d logits of REINFORCE: the softmax of the last rollout's logits less 1 at the choice,
/// each row times advantage[row % advantages] / advantages. Takes the softmax.
nn::Matrix reinforce_gradient(nn::Matrix probabilities, std::span<const nn::Index> choices,
                              std::span<const double> advantage);

/// d entropy / d logits of each row, which has these probabilities as its softmax.
nn::Matrix entropy_gradient(const nn::Matrix& probabilities);

}  // namespace placer

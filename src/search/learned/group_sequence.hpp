#pragma once

#include <vector>

#include "search/learned/sequence_policy.hpp"

namespace placer {

/// The network of the sequence learners on one problem: groups in topological order, each with its
/// types' embedding and its numbers, through a SequencePolicy.
class GroupSequence {
 public:
  struct Shape {
    std::int64_t hidden, attention, type_embedding;
  };
  /// The problem has to outlive this object.
  GroupSequence(const Problem& problem, const Shape& shape, Rng rng);

  /// Forgets earlier rollouts and draws `rows` placements.
  const Rollout& draw(std::size_t rows, Rng& rng);
  /// The choices of the last rollout again, with their logits under the weights as they are now.
  const Rollout& repeat();
  /// The placements of the last rollout, each by group.
  std::vector<Placement> placements() const;
  /// The softmax of the last rollout's logits.
  nn::Matrix probabilities() const;
  /// Takes one step of Adam, given the derivatives of a loss with respect to the last rollout's
  /// logits. Returns the norm of the gradient before it was clipped.
  double learn(const nn::Matrix& logits_gradient, nn::Adam& adam, double clip);

 private:
  nn::Var items();

  GroupFeatures features_;
  nn::Parameters parameters_;
  nn::Parameter* types_;
  SequencePolicy policy_;
  nn::Tape tape_;
  std::size_t rows_ = 0;
  Rollout rollout_;
};

}  // namespace placer

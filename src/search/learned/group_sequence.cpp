#include "search/learned/group_sequence.hpp"

namespace placer {

using nn::Index;
using nn::Matrix;

GroupSequence::GroupSequence(const Problem& problem, const Shape& shape, Rng rng)
    : features_(problem),
      types_(&parameters_.uniform("types", static_cast<Index>(features_.types.size()),
                                  shape.type_embedding, 0.5, rng)),
      policy_(parameters_,
              {.inputs = shape.type_embedding + features_.numbers.cols(),
               .devices = static_cast<Index>(problem.device_count()),
               .hidden = shape.hidden,
               .attention = shape.attention},
              rng) {
  tape_.within(problem.deadline());
}

nn::Var GroupSequence::items() {
  tape_.clear();
  const nn::Var types = matmul(tape_.view(features_.type_shares), tape_.parameter(*types_));
  return nn::concat_columns({types, tape_.view(features_.numbers)});
}

const Rollout& GroupSequence::draw(std::size_t rows, Rng& rng) {
  rows_ = rows;
  rollout_ = policy_.draw(items(), features_.barred, static_cast<Index>(rows), &rng);
  return rollout_;
}

const Rollout& GroupSequence::repeat() {
  rollout_ = policy_.repeat(items(), features_.barred, static_cast<Index>(rows_), rollout_.choices);
  return rollout_;
}

std::vector<Placement> GroupSequence::placements() const {
  std::vector<Placement> placements(rows_);
  for (Placement& placement : placements) placement.devices.resize(features_.size());
  for (std::size_t step = 0; step < features_.size(); ++step) {
    for (std::size_t row = 0; row < rows_; ++row) {
      placements[row][features_.order[step]] =
          DeviceId(static_cast<std::uint32_t>(rollout_.choices[step * rows_ + row]));
    }
  }
  return placements;
}

Matrix GroupSequence::probabilities() const { return probabilities_of(rollout_); }

double GroupSequence::learn(const Matrix& logits_gradient, nn::Adam& adam, double clip) {
  parameters_.clear_gradients();
  tape_.backward(rollout_.logits, logits_gradient);
  const double norm = parameters_.clip_gradients(clip);
  adam.step(parameters_);
  return norm;
}

}  // namespace placer

#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <span>
#include <vector>

#include "placer/search/fit_costs.hpp"

namespace placer {

/// The places of steps whose placements are alike: those that have most groups on the same devices
/// as the first of their set. Each place is in one set.
using AlikeSteps = std::vector<std::vector<Eigen::Index>>;

AlikeSteps alike_steps(std::span<const MeasuredStep> steps);

/// What each row is multiplied by, so that in a sum of squares a set counts as one step.
Eigen::VectorXd shares_of(const AlikeSteps& sets);

/// X'X + weight I, where X are `slopes` (rows x factors): of a sum of squares with a ridge.
Eigen::MatrixXd ridge_curvature(const Eigen::MatrixXd& slopes, double weight);

/// The error of each row after a ridge regression to all but its set, as far as errors are linear
/// in what is fitted: (I - H_ss)^-1 e_s for the rows s of a set, with e the `errors` after the
/// regression to all and H = X (X'X + weight I)^-1 X'. Where each set is one row this is the PRESS
/// residual (Allen 1974).
Eigen::VectorXd errors_left_out(const Eigen::VectorXd& errors, const Eigen::MatrixXd& slopes,
                                double weight, const AlikeSteps& sets);

}  // namespace placer

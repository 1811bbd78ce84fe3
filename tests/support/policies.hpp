#pragma once

#include "placer/search/optimizer.hpp"
#include "placer/search/policy.hpp"

namespace placer::testing {

/// A learner of one number for each device: P(device) is its softmax; a REINFORCE step for each
/// sample. What is tested with it is how learners are run, trained, saved and resumed.
Optimizer tiny_learner();

/// A policy of `algorithm` with two matrices, state and counters.
Policy small_policy(const std::string& algorithm, std::size_t devices = 2);

}  // namespace placer::testing

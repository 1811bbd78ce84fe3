#pragma once

#include <cstdint>

#include "search/learned/marginal_updates.hpp"
#include "search/learned/preset_row.hpp"

namespace placer {

// Rows of the options that several learners of marginals share.

template <class O>
constexpr OptionRow<O> batch_row(std::int64_t O::*member) {
  return option("batch", member, 2, 100000, "samples of each gradient update (the paper's K)");
}
template <auto kMember>
constexpr auto advantage_row() {
  return option<kMember>("advantage",
                         "what the mean cost of a batch less a sample's own is counted in: the "
                         "deviation of the batch's costs, or seconds");
}
template <class O>
constexpr OptionRow<O> learning_rate_row(double O::*member) {
  return option("learning-rate", member, 1e-6, 1000, "step of the logits along the gradient");
}
template <class O>
constexpr OptionRow<O> inner_steps_row(std::int64_t O::*member) {
  return option("inner-steps", member, 1, 10000, "gradient steps of each proximal update");
}
template <class O>
constexpr OptionRow<O> beta_row(double O::*member) {
  return option("beta", member, 1e-3, 1e3, "first weight of the KL penalty; adapts");
}
template <class O>
constexpr OptionRow<O> target_kl_row(double O::*member) {
  return option("target-kl", member, 1e-6, 10, "mean KL divergence per group that beta steers to");
}
template <class O>
constexpr OptionRow<O> elite_share_row(double O::*member) {
  return option("elite-share", member, 1e-6, 1, "share of the samples that the frequencies count");
}
template <class O>
constexpr OptionRow<O> epsilon_row(double O::*member) {
  return option("epsilon", member, 0, 1,
                "first share of the uniform mix; falls to 0 over the budget");
}
template <auto kMember>
constexpr auto init_row() {
  return option<kMember>("init",
                         "the first marginals: uniform, or leaning half towards HEFT's placement");
}

}  // namespace placer

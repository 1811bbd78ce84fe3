#pragma once

#include <cstdint>
#include <span>

#include "placer/base/names.hpp"
#include "search/learned/adaptive_beta.hpp"
#include "search/learned/marginals.hpp"

namespace placer {

/// How a proximal update is solved: by gradient steps whose length the penalty bounds or of the
/// plain rate, in closed form, or with clipped ratios.
enum class ProximalStep { kSgd, kPlain, kExact, kClip };
constexpr Names<4> names_of(ProximalStep) { return {"sgd", "plain", "exact", "clip"}; }

/// The proximal inner step and its adaptive penalty (Gao, Chen, Li 2018, section 3.3; the exact
/// step is ours, the clipped one of Schulman et al. 2017). A gradient step of kSgd has the length
/// rate / (1 + rate beta / 2): the penalty's curvature in the logits is at most beta / 2, so that
/// however large beta becomes, no step passes the penalty's minimum. Steps of the plain rate pass
/// it from rate x beta = 2 on and diverge from 4 on.
struct ProximalOptions {
  ProximalStep step = ProximalStep::kSgd;
  AdvantageUnit advantage = AdvantageUnit::kDeviation;
  std::int64_t inner_steps = 10;
  double learning_rate = 1;
  double target_kl = 0.03;
  double clip = 0.2;
};

/// One PPO update of independent softmax marginals on one batch.
class ProximalUpdate {
 public:
  ProximalUpdate(ProximalOptions options, double first_beta)
      : options_(options), beta_(first_beta, options.target_kl) {}

  /// Maximizes mean over samples of sum over groups of ratio x advantage - beta KL(old || new), by
  /// gradient steps or exactly (`kClip` bounds the ratios instead of the KL), then doubles or
  /// halves beta where the mean KL per group is off its target by more than 1.5 times.
  void apply(Marginals& marginals, std::span<const Sample> samples);

  /// Adds loss, learning rate and beta of the update that has just been made.
  void describe(const Marginals& marginals, const DrawnBatch& batch, UpdateFigures& figures) const;

  double beta() const { return beta_.value(); }

 private:
  void gradient_steps(Marginals& marginals, std::span<const double> weights,
                      std::span<const double> old) const;
  void exact_step(Marginals& marginals, std::span<const double> weights,
                  std::span<const double> old) const;
  void clipped_steps(Marginals& marginals, std::span<const Sample> samples,
                     std::span<const double> old) const;
  ProximalOptions options_;
  AdaptiveBeta beta_;     // the next update's
  double used_beta_ = 0;  // the last one's
};

/// One REINFORCE step: logits += rate x gradient of the expected advantage.
void policy_gradient_update(Marginals& marginals, std::span<const Sample> samples, double rate,
                            AdvantageUnit unit = AdvantageUnit::kDeviation);

/// Sets each marginal to its frequency among the cheapest `elite_share` of `samples` (at least one;
/// ties: the earlier), mixed with `epsilon` of the uniform distribution.
void cross_entropy_update(Marginals& marginals, std::span<const Sample> samples, double elite_share,
                          double epsilon);

}  // namespace placer

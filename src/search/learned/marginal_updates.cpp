#include "search/learned/marginal_updates.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace placer {
namespace {

/// Adds rate x (s_j - q_j sum s) to the logits: the gradient of sum s_j through a softmax.
void add_softmax_gradient(Marginals& marginals, std::span<const double> s, double rate) {
  const std::span<const double> q = marginals.probabilities();
  for (std::size_t group = 0; group < marginals.group_count(); ++group) {
    double sum = 0;
    for (std::size_t e = marginals.first(group); e < marginals.end(group); ++e) sum += s[e];
    for (std::size_t e = marginals.first(group); e < marginals.end(group); ++e) {
      marginals.logits()[e] += rate * (s[e] - q[e] * sum);
    }
  }
}

/// The lambda above every w with sum beta p / (lambda - w) = 1, by bisection: the sum falls in
/// lambda, is at most 1 at max w + beta, and at least 1 at max(w + beta p).
double normalizer(std::span<const double> w, std::span<const double> p, double beta) {
  double low = -HUGE_VAL, high = -HUGE_VAL;
  for (std::size_t j = 0; j < w.size(); ++j) {
    low = std::max(low, w[j] + beta * p[j]);
    high = std::max(high, w[j] + beta);
  }
  for (int halving = 0; halving < 60; ++halving) {
    const double middle = 0.5 * (low + high);
    double sum = 0;
    for (std::size_t j = 0; j < w.size(); ++j) sum += beta * p[j] / (middle - w[j]);
    (sum > 1 ? low : high) = middle;
  }
  return high;
}

}  // namespace

void ProximalUpdate::apply(Marginals& marginals, std::span<const Sample> samples) {
  const std::vector<double> old(marginals.probabilities().begin(), marginals.probabilities().end());
  used_beta_ = beta_.value();
  if (options_.step == ProximalStep::kClip) {
    clipped_steps(marginals, samples, old);
    return;
  }
  const std::vector<double> weights = advantage_weights(marginals, samples, options_.advantage);
  if (options_.step == ProximalStep::kExact) {
    exact_step(marginals, weights, old);
  } else {
    gradient_steps(marginals, weights, old);
  }
  beta_.adapt(mean_divergence(marginals, old));
}

void ProximalUpdate::gradient_steps(Marginals& marginals, std::span<const double> weights,
                                    std::span<const double> old) const {
  const double bend = options_.step == ProximalStep::kPlain ? 0 : 0.5 * beta_.value();
  const double rate = options_.learning_rate / (1 + options_.learning_rate * bend);
  std::vector<double> s(weights.size());
  for (std::int64_t step = 0; step < options_.inner_steps; ++step) {
    const std::span<const double> q = marginals.probabilities();
    for (std::size_t e = 0; e < s.size(); ++e) s[e] = weights[e] * q[e] / old[e];
    add_softmax_gradient(marginals, s, rate);
    for (std::size_t e = 0; e < s.size(); ++e) {
      marginals.logits()[e] -= rate * beta_.value() * (q[e] - old[e]);
    }
    marginals.refresh();
  }
}

void ProximalUpdate::exact_step(Marginals& marginals, std::span<const double> weights,
                                std::span<const double> old) const {
  const double beta = beta_.value();
  std::vector<double> solved(weights.size()), w;
  for (std::size_t group = 0; group < marginals.group_count(); ++group) {
    const std::size_t first = marginals.first(group);
    const std::size_t count = marginals.end(group) - first;
    const std::span<const double> p = old.subspan(first, count);
    w.resize(count);
    for (std::size_t j = 0; j < count; ++j) w[j] = weights[first + j] / p[j];
    const double lambda = normalizer(w, p, beta);
    double sum = 0;
    for (std::size_t j = 0; j < count; ++j) {
      solved[first + j] = beta * p[j] / std::max(lambda - w[j], beta * p[j]);
      sum += solved[first + j];
    }
    for (std::size_t j = 0; j < count; ++j) solved[first + j] /= sum;
  }
  marginals.set_probabilities(solved);
}

void ProximalUpdate::clipped_steps(Marginals& marginals, std::span<const Sample> samples,
                                   std::span<const double> old) const {
  const std::vector<double> advantage = advantages(samples, options_.advantage);
  std::vector<double> s(old.size());
  for (std::int64_t step = 0; step < options_.inner_steps; ++step) {
    std::ranges::fill(s, 0.0);
    for (std::size_t n = 0; n < samples.size(); ++n) {
      for (const std::uint32_t e : samples[n].choices) {
        const double ratio = marginals.probabilities()[e] / old[e];
        const bool stopped =
            advantage[n] > 0 ? ratio > 1 + options_.clip : ratio < 1 - options_.clip;
        if (!stopped) s[e] += advantage[n] * ratio / static_cast<double>(samples.size());
      }
    }
    add_softmax_gradient(marginals, s, options_.learning_rate);
    marginals.refresh();
  }
}

void ProximalUpdate::describe(const Marginals& marginals, const DrawnBatch& batch,
                              UpdateFigures& figures) const {
  const bool is_clipped = options_.step == ProximalStep::kClip;
  figures.loss = surrogate_loss(marginals, batch, options_.advantage) +
                 (is_clipped ? 0 : used_beta_ * *figures.kl);
  if (options_.step != ProximalStep::kExact) figures.learning_rate = options_.learning_rate;
  if (!is_clipped) figures.beta = used_beta_;
}

void policy_gradient_update(Marginals& marginals, std::span<const Sample> samples, double rate,
                            AdvantageUnit unit) {
  add_softmax_gradient(marginals, advantage_weights(marginals, samples, unit), rate);
  marginals.refresh();
}

void cross_entropy_update(Marginals& marginals, std::span<const Sample> samples, double elite_share,
                          double epsilon) {
  std::vector<std::size_t> by_cost(samples.size());
  std::iota(by_cost.begin(), by_cost.end(), std::size_t{0});
  std::ranges::stable_sort(by_cost, std::less<>(),
                           [&](std::size_t n) { return samples[n].cost_seconds; });
  const double share = elite_share * static_cast<double>(samples.size());
  by_cost.resize(
      std::clamp<std::size_t>(static_cast<std::size_t>(std::llround(share)), 1, samples.size()));
  std::vector<double> frequency(marginals.logits().size(), 0.0);
  for (const std::size_t elite : by_cost) {
    for (const std::uint32_t entry : samples[elite].choices) {
      frequency[entry] += 1.0 / static_cast<double>(by_cost.size());
    }
  }
  for (std::size_t group = 0; group < marginals.group_count(); ++group) {
    const double uniform = 1.0 / static_cast<double>(marginals.end(group) - marginals.first(group));
    for (std::size_t e = marginals.first(group); e < marginals.end(group); ++e) {
      frequency[e] = (1 - epsilon) * frequency[e] + epsilon * uniform;
    }
  }
  marginals.set_probabilities(frequency);
}

}  // namespace placer

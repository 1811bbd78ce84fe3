#include "search/learned/marginals.hpp"

#include <algorithm>
#include <cmath>

#include "placer/base/real.hpp"

namespace placer {
namespace {

constexpr double kLeastProbability = 1e-12;
constexpr double kLargestGap = 27.631021115928547;  // of logits: -log of the least probability

GroupId heaviest_group(const Problem& problem) {
  GroupId heaviest(0);
  Picoseconds most = -1;
  for (const GroupId group : IdRange<GroupId>(problem.groups().size())) {
    const Picoseconds work = problem.group_ps(group, problem.groups().allowed(group).front());
    if (work > most) {
      most = work;
      heaviest = group;
    }
  }
  return heaviest;
}

}  // namespace

Marginals::Marginals(const Problem& problem)
    : problem_(&problem), heaviest_(heaviest_group(problem)), offsets_{0} {
  for (const GroupId group : IdRange<GroupId>(problem.groups().size())) {
    for (const DeviceId device : problem.groups().allowed(group)) {
      if (group == heaviest_ && problem.first_identical(device) != device) continue;
      devices_.push_back(device);
    }
    offsets_.push_back(devices_.size());
  }
  logits_.assign(devices_.size(), 0.0);
  probabilities_.resize(devices_.size());
  refresh();
}

void Marginals::refresh() {
  for (std::size_t group = 0; group < group_count(); ++group) {
    double largest = logits_[first(group)];
    for (std::size_t e = first(group); e < end(group); ++e) largest = std::max(largest, logits_[e]);
    double sum = 0;
    for (std::size_t e = first(group); e < end(group); ++e) {
      logits_[e] = std::max(logits_[e], largest - kLargestGap);
      probabilities_[e] = portable_exp(logits_[e] - largest);
      sum += probabilities_[e];
    }
    for (std::size_t e = first(group); e < end(group); ++e) probabilities_[e] /= sum;
  }
}

void Marginals::lean_towards(const Placement& placement, double share) {
  std::vector<double> leaning(probabilities_);
  const DeviceId here = placement[heaviest_];
  const DeviceId first_like_it = problem_->first_identical(here);
  for (std::size_t group = 0; group < group_count(); ++group) {
    DeviceId device = placement.devices[group];
    if (device == here || device == first_like_it) {
      device = device == here ? first_like_it : here;
    }
    const auto begin = devices_.begin() + static_cast<std::ptrdiff_t>(first(group));
    const auto stop = devices_.begin() + static_cast<std::ptrdiff_t>(end(group));
    const auto at = std::find(begin, stop, device);
    if (at == stop) continue;
    for (std::size_t e = first(group); e < end(group); ++e) leaning[e] *= 1 - share;
    leaning[static_cast<std::size_t>(at - devices_.begin())] += share;
  }
  set_probabilities(leaning);
}

void Marginals::set_probabilities(std::span<const double> probabilities) {
  for (std::size_t e = 0; e < logits_.size(); ++e) {
    logits_[e] = portable_log(std::max(probabilities[e], kLeastProbability));
  }
  refresh();
}

Sample Marginals::draw(Rng& rng) const {
  Sample sample;
  sample.placement.devices.reserve(group_count());
  sample.choices.reserve(group_count());
  for (std::size_t group = 0; group < group_count(); ++group) {
    double left = rng.uniform();
    std::size_t entry = first(group);
    while (entry + 1 < end(group) && left >= probabilities_[entry]) left -= probabilities_[entry++];
    sample.choices.push_back(static_cast<std::uint32_t>(entry));
    sample.placement.devices.push_back(devices_[entry]);
  }
  return sample;
}

namespace {

UpdateFigures figures_of(const Marginals& marginals, const DrawnBatch& batch) {
  double entropy = 0;
  for (const double p : batch.probabilities) {
    if (p > 0) entropy -= p * portable_log(p);
  }
  double cost_seconds = 0;
  for (const Sample& sample : batch.samples) cost_seconds += sample.cost_seconds;
  return {.mean_cost_seconds = cost_seconds / static_cast<double>(batch.samples.size()),
          .entropy = entropy / static_cast<double>(marginals.group_count()),
          .kl = mean_divergence(marginals, batch.probabilities)};
}

}  // namespace

void learn_by_batches(Search& search, const Marginals& marginals, const BatchLearner& learner) {
  const std::size_t count = learner.samples;
  const bool listens = search.hears_updates();
  std::vector<Sample> samples(count);
  std::vector<Placement> placements(count);
  std::vector<double> before;
  for (std::int64_t update = 0;; ++update) {
    for (std::size_t i = 0; i < count; ++i) {
      samples[i] = marginals.draw(search.rng());
      placements[i] = samples[i].placement;
    }
    const std::vector<Score> scores = search.evaluate_all(placements);
    if (scores.size() < count) return;
    for (std::size_t i = 0; i < count; ++i) {
      samples[i].cost_seconds = search.cost_seconds(scores[i]);
    }
    if (listens) {
      before.assign(marginals.probabilities().begin(), marginals.probabilities().end());
    }
    learner.learn(samples);
    tell_update(search, learner.name, update, [&] {
      const DrawnBatch batch{samples, before};
      UpdateFigures figures = figures_of(marginals, batch);
      if (learner.describe) learner.describe(batch, figures);
      return figures;
    });
  }
}

double mean_divergence(const Marginals& marginals, std::span<const double> old) {
  const std::span<const double> now = marginals.probabilities();
  double divergence = 0;
  for (std::size_t e = 0; e < old.size(); ++e) {
    if (old[e] > 0) divergence += old[e] * portable_log(old[e] / std::max(now[e], 1e-300));
  }
  return divergence / static_cast<double>(marginals.group_count());
}

double surrogate_loss(const Marginals& marginals, const DrawnBatch& batch, AdvantageUnit unit) {
  const std::vector<double> weights = advantage_weights(marginals, batch.samples, unit);
  double loss = 0;
  for (std::size_t e = 0; e < weights.size(); ++e) {
    loss -= weights[e] * marginals.probabilities()[e] / batch.probabilities[e];
  }
  return loss / static_cast<double>(marginals.group_count());
}

std::vector<double> advantages(std::span<const Sample> samples, AdvantageUnit unit) {
  const double count = static_cast<double>(samples.size());
  double mean = 0;
  for (const Sample& sample : samples) mean += sample.cost_seconds / count;
  double variance = 0;
  for (const Sample& sample : samples) {
    const double off = sample.cost_seconds - mean;
    variance += off * off / count;
  }
  const double deviation = std::sqrt(variance);
  std::vector<double> result;
  for (const Sample& sample : samples) {
    // Equal costs leave only rounding noise.
    const bool noise = deviation <= 1e-12 * mean;
    const double divisor = unit == AdvantageUnit::kDeviation ? deviation : 1;
    result.push_back(noise ? 0.0 : (mean - sample.cost_seconds) / divisor);
  }
  return result;
}

std::vector<double> advantage_weights(const Marginals& marginals, std::span<const Sample> samples,
                                      AdvantageUnit unit) {
  std::vector<double> weights(marginals.logits().size(), 0.0);
  const std::vector<double> advantage = advantages(samples, unit);
  for (std::size_t n = 0; n < samples.size(); ++n) {
    for (const std::uint32_t entry : samples[n].choices) {
      weights[entry] += advantage[n] / static_cast<double>(samples.size());
    }
  }
  return weights;
}

}  // namespace placer

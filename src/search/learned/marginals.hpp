#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "placer/base/names.hpp"
#include "placer/search/search.hpp"
#include "search/learned/update_figures.hpp"

namespace placer {

/// A placement drawn from Marginals, and what it cost.
struct Sample {
  Placement placement;
  std::vector<std::uint32_t> choices;  // by group: the entry of Marginals that was drawn
  double cost_seconds = 0;
};

/// What a sample's advantage, the mean cost of its batch less its own, is counted in: standard
/// deviations of the batch's costs, so that the unit of time does not matter, or seconds.
enum class AdvantageUnit { kDeviation, kSecond };
constexpr Names<2> names_of(AdvantageUnit) { return {"deviation", "second"}; }

/// A policy of independent categorical distributions: for each group a softmax over its allowed
/// devices. Entries (group, device) are flat; a group's are a range. Among identical devices the
/// heaviest group may only go to the first: independent marginals cannot learn "together,
/// anywhere".
class Marginals {
 public:
  /// Uniform marginals: all logits are 0. The problem has to outlive this object.
  explicit Marginals(const Problem& problem);

  std::size_t group_count() const { return offsets_.size() - 1; }
  std::size_t first(std::size_t group) const { return offsets_[group]; }
  std::size_t end(std::size_t group) const { return offsets_[group + 1]; }

  std::span<const double> logits() const { return logits_; }
  std::span<double> logits() { return logits_; }
  /// The probability of each entry; those of a group sum to 1.
  std::span<const double> probabilities() const { return probabilities_; }
  /// Makes the probabilities follow the logits, after lifting logits so low that a probability
  /// would fall below about 1e-12: a ratio of probabilities stays finite.
  void refresh();

  /// Moves `share` of each group's probability to its device in `placement` (as far as it is among
  /// its entries).
  void lean_towards(const Placement& placement, double share);
  /// Sets the probabilities, and the logits to their logarithms; zeros become 1e-12.
  void set_probabilities(std::span<const double> probabilities);

  Sample draw(Rng& rng) const;

 private:
  const Problem* problem_;
  GroupId heaviest_;
  std::vector<std::size_t> offsets_;
  std::vector<DeviceId> devices_;
  std::vector<double> logits_, probabilities_;
};

/// A batch and the probabilities (by entry) that it was drawn with.
struct DrawnBatch {
  std::span<const Sample> samples;
  std::span<const double> probabilities;
};

/// How marginals learn from batches.
struct BatchLearner {
  std::string_view name;
  std::size_t samples;  // of each batch
  std::function<void(std::span<const Sample>)> learn;
  /// Fills in what only the learner knows of its last update; called only where somebody listens.
  std::function<void(const DrawnBatch&, UpdateFigures&)> describe = {};
};

/// Draws and scores samples and lets `learner` learn from each full batch, until the budget is
/// spent. Tells the search's observer of each update (debug).
void learn_by_batches(Search& search, const Marginals& marginals, const BatchLearner& learner);

/// The Kullback-Leibler divergence of the marginals from `old` probabilities (by entry) in nats,
/// mean over groups.
double mean_divergence(const Marginals& marginals, std::span<const double> old);

/// -mean over samples of the sum over groups of advantage x new / old probability, over the groups:
/// what a policy gradient lowers.
double surrogate_loss(const Marginals& marginals, const DrawnBatch& batch,
                      AdvantageUnit unit = AdvantageUnit::kDeviation);

/// For each sample its advantage; all 0 where the costs are equal.
std::vector<double> advantages(std::span<const Sample> samples,
                               AdvantageUnit unit = AdvantageUnit::kDeviation);

/// For each entry the sum of the advantages of the samples that drew it, over the number of all
/// samples.
std::vector<double> advantage_weights(const Marginals& marginals, std::span<const Sample> samples,
                                      AdvantageUnit unit = AdvantageUnit::kDeviation);

}  // namespace placer

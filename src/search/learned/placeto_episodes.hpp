#pragma once

#include <span>
#include <string>
#include <vector>

#include "placer/search/policy.hpp"
#include "placer/search/search.hpp"
#include "search/learned/placeto_network.hpp"

namespace placer {

/// One walk over all groups.
struct Episode {
  Placement placement;                      // as it is by now
  std::vector<std::uint32_t> nodes;         // by step: the group that moved
  std::vector<std::uint32_t> devices;       // by step: where to
  std::vector<double> rewards;              // by step
  std::vector<std::vector<double>> states;  // by step: features
};

/// A graph as Placeto's episodes see it. In an episode each group, one after the other, is moved.
class PlacetoGraph {
 public:
  PlacetoGraph(const Problem& problem, PlacetoEmbedding embedding);

  std::size_t size() const { return graph_.size(); }
  /// The order of magnitude of a step time: what all groups take one after the other.
  Picoseconds time_unit() const { return time_unit_; }

  Episode begin(Placement start) const;
  /// Chooses a device for the next group: draws it or, where `rng` is null, takes the most probable
  /// one.
  Move choose(PlacetoNetwork& network, nn::Tape& tape, Episode& episode, Rng* rng);
  /// Makes the last choice part of the placement.
  void advance(Episode& episode) const;

  /// Mean over the steps of an episode.
  struct Means {
    double loss = 0;  // -(advantage log P(device) + entropy_weight entropy)
    double entropy = 0;
  };
  /// Adds the gradient of the loss, which it returns.
  Means add_gradients(PlacetoNetwork& network, nn::Tape& tape, const Episode& episode,
                      std::span<const double> advantages, double entropy_weight);

 private:
  void fill_features(const Episode& episode, std::uint32_t current, nn::Matrix& features);
  nn::Var masked_logits(PlacetoNetwork& network, nn::Tape& tape, const nn::Matrix& features,
                        std::span<const std::uint32_t> currents);

  const Problem problem_;
  const GroupGraph graph_;
  EmbeddedGraph embedded_;
  StartTimes start_times_;
  Picoseconds time_unit_ = 0;
  nn::Matrix static_features_;  // cost and bytes over their largest
  nn::Matrix barred_;           // 0 where a group may go, else a large negative number
  nn::Matrix features_;
};

/// Mean returns of the last episodes at each step.
class StepBaseline {
 public:
  StepBaseline(std::size_t steps, std::int64_t episodes)
      : steps_(steps), most_(static_cast<std::size_t>(episodes)) {}

  /// The returns less their baselines (in the first episode less their mean), over the root of
  /// their mean square. Afterwards these returns count in the baselines.
  std::vector<double> advantages(const std::vector<double>& returns);

  void save(const std::string& name, Policy& policy) const;
  void load(const std::string& name, const Policy& policy);

 private:
  std::size_t steps_, most_;
  std::vector<std::vector<double>> recent_;  // oldest first
};

/// For each step the sum of its reward and of all later ones, each discounted once more than the
/// one before.
std::vector<double> returns_of(const std::vector<double>& rewards, double discount);

/// The placement that has everything on the device that takes the least time for it, among those
/// where everything may go and all parameters fit. Where there is none, each group is on its
/// fastest device. Takes no evaluation.
Placement fastest_alone(const Problem& problem);

}  // namespace placer

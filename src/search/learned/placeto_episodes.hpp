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

/// A graph as episodes of Placeto see it.
class PlacetoGraph {
 public:
  PlacetoGraph(const Problem& problem, const std::string& embedding);

  std::size_t size() const { return graph_.size(); }
  /// A step time's order of magnitude: all groups one after the other.
  Picoseconds time_unit() const { return time_unit_; }

  Episode begin(Placement start) const;
  /// The next group's device: drawn, or with no generator the most probable one.
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

  /// Returns less their baselines (of the first episode: less their mean), over the root of their
  /// mean square; then counts these returns.
  std::vector<double> advantages(const std::vector<double>& returns);

  void save(const std::string& name, Policy& policy) const;
  void load(const std::string& name, const Policy& policy);

 private:
  std::size_t steps_, most_;
  std::vector<std::vector<double>> recent_;  // oldest first
};

/// By step: the sum of its reward and later ones, each discounted once more.
std::vector<double> returns_of(const std::vector<double>& rewards, double discount);

/// Everything on the device that takes the least time for all, of those where everything may go and
/// its parameters fit; else each group on its fastest device. Costs no evaluation.
Placement fastest_alone(const Problem& problem);

}  // namespace placer

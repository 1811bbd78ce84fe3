#pragma once

#include <span>
#include <string>
#include <vector>

#include "placer/search/policy.hpp"
#include "placer/search/search.hpp"
#include "search/learned/device_views.hpp"
#include "search/learned/placeto_network.hpp"

namespace placer {

/// One walk over all groups.
struct Episode {
  Placement start, placement;      // at first and by now
  std::vector<nn::Index> devices;  // by step: where its group moved
  std::vector<double> rewards;     // by step
};

/// A graph as Placeto's episodes see it. In an episode each group, one after the other, is moved.
class PlacetoGraph {
 public:
  PlacetoGraph(const Problem& problem, PlacetoEmbedding embedding);

  std::size_t size() const { return graph_.size(); }
  /// The order of magnitude of a step time: what all groups take one after the other.
  Picoseconds time_unit() const { return time_unit_; }

  Episode begin(const Placement& start) const { return {start, start, {}, {}}; }
  /// Fills the rows from `first_row` on with the graph as it is before `step`.
  void fill_features(const Placement& placement, std::size_t step, nn::Index first_row,
                     nn::Matrix& features);
  /// Chooses a device for the next group of each episode; all have made as many steps. Draws it or,
  /// where `rng` is null, takes the most probable one.
  std::vector<Move> choose(PlacetoNetwork& network, nn::Tape& tape, std::span<Episode> episodes,
                           Rng* rng);
  /// How far the steps of episodes have been made again.
  struct Replay {
    std::vector<Placement> placements;  // by episode
    std::size_t step = 0;
  };

  /// Makes the last choice part of the placement.
  void advance(Episode& episode) const;

  /// Mean over steps.
  struct Means {
    double loss = 0;  // -(advantage log P(device) + entropy_weight entropy)
    double entropy = 0;
  };
  /// For the next `count` steps of whole episodes, which are made again from their starts, adds the
  /// gradient of their share of the mean loss over `of` steps; returns their own means.
  /// `advantages` are by episode and step.
  Means add_gradients(PlacetoNetwork& network, nn::Tape& tape, std::span<const Episode> episodes,
                      std::span<const std::vector<double>> advantages, double entropy_weight,
                      Replay& replay, std::size_t count, std::size_t of);

 private:
  /// What the network reads of some copies of the graph.
  struct Reading {
    nn::Matrix features, views;
    std::vector<std::uint32_t> currents;
  };
  void start_reading(std::size_t copies, Reading& reading) const;
  /// Adds the graph as it is before `step`.
  void read(const Placement& placement, std::size_t step, Reading& reading);
  nn::Var masked_logits(PlacetoNetwork& network, nn::Tape& tape, const Reading& reading);

  const Problem problem_;
  const GroupGraph graph_;
  EmbeddedGraph embedded_;
  StartTimes start_times_;
  Picoseconds time_unit_ = 0;
  nn::Matrix static_features_;              // cost, output bytes and memory over their largest
  std::vector<std::int64_t> memory_bytes_;  // by group: parameters and outputs to keep
  nn::Matrix barred_;                       // 0 where a group may go, else a large negative number
  DeviceViews views_;
  Reading reading_;
};

/// Mean returns of the last episodes at each step.
class StepBaseline {
 public:
  StepBaseline(std::size_t steps, std::int64_t episodes)
      : steps_(steps), most_(static_cast<std::size_t>(episodes)) {}

  /// By episode and step: the returns less their baselines (of the first episodes, less their
  /// mean), over the root of their mean square. Afterwards these returns count in the baselines.
  std::vector<std::vector<double>> advantages(std::vector<std::vector<double>> returns);

  void save(const std::string& name, Policy& policy) const;
  void load(const std::string& name, const Policy& policy);

 private:
  std::size_t steps_, most_;
  std::vector<std::vector<double>> recent_;  // oldest first
};

/// For each step the sum of its reward and of all later ones, each discounted once more than the
/// one before.
std::vector<double> returns_of(const std::vector<double>& rewards, double discount);

/// Makes the move and says how many seconds it gains; empty where the budget is spent.
std::optional<double> gain_of(Search& search, Walk& walk, const Move& move);

/// The placement that has everything on the device that takes the least time for it, among those
/// where everything may go and all parameters fit. Where there is none, each group is on its
/// fastest device. Takes no evaluation.
Placement fastest_alone(const Problem& problem);

}  // namespace placer

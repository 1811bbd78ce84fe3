#pragma once

#include <span>
#include <vector>

#include "search/learned/sequence_policy.hpp"

namespace placer {

/// What the hierarchical placer's networks see of a problem's groups ("items": ops, where nothing
/// is colocated); the same columns for every graph.
struct HierarchicalFeatures {
  /// Types of ops fall into so many classes, by a hash of their names.
  static constexpr std::size_t kTypeClasses = 64;
  static constexpr nn::Index kOutputs = 6, kDimensions = 4, kNeighbours = 6;
  static constexpr nn::Index kNumbers = kOutputs * kDimensions + 2 * kNeighbours;

  explicit HierarchicalFeatures(const Problem& problem);
  std::size_t size() const { return types.size(); }

  std::vector<nn::Index> types;  // of each item's first op
  // Shapes of up to 6 outputs by 4 dimensions, log-scaled, then positions of up to 6 items that it
  // takes from and 6 that it gives to, in breadth-first order over the number of items; -1: none.
  nn::Matrix numbers;
  nn::Matrix
      shape_sums;  // by item: its outputs' first four dimensions, and bytes of the largest's 1e4
  std::vector<std::vector<std::uint32_t>> children;
};

/// A grouper that draws a group for each item, and a placer that draws a device for each group.
/// Mirhoseini et al. 2018.
class HierarchicalNetwork {
 public:
  struct Shape {
    nn::Index groups, devices, hidden, attention, grouper_hidden, type_embedding;
    double temperature, bound;
  };
  HierarchicalNetwork(const Shape& shape, Rng rng);

  /// How a grouping is drawn: noise from `noise_rng`, uniform within +-noise, is added to the
  /// logits.
  struct Draw {
    Rng* rng;  // null: the most probable
    double noise;
    Rng noise_rng;
  };
  std::vector<nn::Index> draw_groups(const HierarchicalFeatures& features, const Draw& draw);
  /// Adds the gradient of -weight log p(groups), drawn like that, to the parameters'.
  void add_group_gradient(const HierarchicalFeatures& features, std::span<const nn::Index> groups,
                          const Draw& draw, double weight);

  /// `rows` placements of the groups, on a tape of its own until the next call.
  const Rollout& draw_devices(const HierarchicalFeatures& features,
                              std::span<const nn::Index> groups, nn::Index rows, const Draw& draw);
  /// Adds the gradient of -mean advantage log p(devices) of that rollout.
  void add_device_gradient(std::span<const double> advantage);

  nn::Parameters& parameters() { return parameters_; }
  const nn::Parameters& parameters() const { return parameters_; }

 private:
  nn::Var group_logits(const HierarchicalFeatures& features, nn::Index first, nn::Index count,
                       const Draw& draw);
  nn::Matrix group_items(const HierarchicalFeatures& features,
                         std::span<const nn::Index> groups) const;

  Shape shape_;
  nn::Parameters parameters_;
  nn::Parameter* types_;
  nn::Linear grouper_hidden_, grouper_output_;
  SequencePolicy placer_;
  nn::Tape grouper_tape_, placer_tape_;
  Rollout rollout_;
};

}  // namespace placer

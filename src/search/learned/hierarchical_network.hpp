#pragma once

#include <span>
#include <vector>

#include "search/groups/index_lists.hpp"
#include "search/learned/index_rows.hpp"
#include "search/learned/op_types.hpp"
#include "search/learned/sequence_policy.hpp"

namespace placer {

/// What the hierarchical placer's networks see of a problem's groups ("items": ops, where nothing
/// is colocated); the same columns for every graph.
struct HierarchicalFeatures {
  static constexpr nn::Index kOutputs = 6, kDimensions = 4, kNeighbours = 6;
  static constexpr nn::Index kNumbers = kOutputs * kDimensions + 2 * kNeighbours;

  /// Throws Stopped when the problem's deadline has passed.
  HierarchicalFeatures(const Problem& problem, const OpTypes& types);
  std::size_t size() const { return children.size(); }

  IndexRows types;  // by item: the rows of its ops' types
  // Shapes of up to 6 outputs by 4 dimensions, log-scaled, then positions of up to 6 items that it
  // takes from and 6 that it gives to, in breadth-first order over the number of items; -1: none.
  nn::Matrix numbers;
  std::vector<double> place;  // by item: its middle in program order, between 0 and 1
  nn::Matrix
      shape_sums;  // by item: its outputs' first four dimensions, and bytes of the largest's 1e4
  IndexLists children;
  Deadline deadline;  // the problem's: what the network does with a million items asks it, too
};

/// A grouper that draws a group for each item, and a placer that draws a device for each group.
/// Mirhoseini et al. 2018. A grouper that begins by chance makes every cut expensive, and its
/// placer learns one device for all; so it begins with groups of items that follow each other in
/// program order, evenly spread.
class HierarchicalNetwork {
 public:
  struct Shape {
    nn::Index groups, devices, hidden, attention, grouper_hidden, type_embedding;
    double temperature, bound;
  };
  HierarchicalNetwork(const Shape& shape, const OpTypes& types, Rng rng);

  /// How a grouping is drawn: noise from `noise_rng`, uniform within +-noise, is added to the
  /// logits.
  struct Draw {
    Rng* rng;  // null: the most probable
    double noise;
    Rng noise_rng;
  };
  std::vector<nn::Index> draw_groups(HierarchicalFeatures& features, const Draw& draw);
  /// Adds the gradient of -weight log p(groups), drawn like that, to the parameters'.
  void add_group_gradient(HierarchicalFeatures& features, std::span<const nn::Index> groups,
                          const Draw& draw, double weight);

  /// `rows` placements of the groups, on a tape of its own until the next call.
  const Rollout& draw_devices(HierarchicalFeatures& features, std::span<const nn::Index> groups,
                              nn::Index rows, const Draw& draw);
  /// Adds the gradient of the mean over that rollout's placements of -(advantage log p(devices) +
  /// entropy_weight x the sum of their groups' entropies).
  void add_device_gradient(std::span<const double> advantage, double entropy_weight);

  /// What the placer sees of each group: the embedded counts of its ops' types, the sums of their
  /// shapes, the groups that it gives to and those that it takes from. On the tape of the placer.
  nn::Var group_items(HierarchicalFeatures& features, std::span<const nn::Index> groups);

  nn::Parameters& parameters() { return parameters_; }
  const nn::Parameters& parameters() const { return parameters_; }

 private:
  nn::Matrix start(const HierarchicalFeatures& features, nn::Index first, nn::Index count) const;
  nn::Var group_logits(HierarchicalFeatures& features, nn::Index first, nn::Index count,
                       const Draw& draw);

  Shape shape_;
  nn::Parameters parameters_;
  nn::Parameter *grouper_types_, *placer_types_;
  nn::Linear grouper_hidden_, grouper_output_;
  SequencePolicy placer_;
  nn::Tape grouper_tape_, placer_tape_;
  Rollout rollout_;
};

}  // namespace placer

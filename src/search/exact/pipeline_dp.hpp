#pragma once

#include <optional>

#include "placer/model/problem.hpp"
#include "search/exact/down_sets.hpp"
#include "search/tree/node_budget.hpp"

namespace placer {

/// Stages of a pipeline, each a device with the units between one down-set and a larger one.
struct Pipeline {
  Placement placement;
  /// The largest load of a stage, as StageCosts has it; under call-latency the sum of their times.
  Picoseconds bottleneck_ps = 0;
};

/// Devices by kind: those of a row have equal costs, and links of equal speeds.
std::vector<std::vector<DeviceId>> stage_devices(const Problem& problem);
std::vector<DeviceId> first_of_each(const std::vector<std::vector<DeviceId>>& devices);

/// The best pipeline along some down-sets under the objective throughput, by dynamic programming
/// over down-sets and the devices used so far (Tarnawski et al., NeurIPS 2020, section 5.1). Under
/// call-latency, the best step whose stages begin when all before them have ended, in which each
/// accelerator has one stage and hosts have any number: no step with these stages takes longer.
/// Which of identical devices is used does not matter; where the goal gives an order of stages,
/// devices are used in that order, and some may be left out.
class PipelineDp {
 public:
  /// Down-sets times numbers of used devices of each kind: a limit for memory.
  static constexpr double kMostStates = 2e7;
  static constexpr std::int64_t kNodesPerEvaluation = 1'000;

  PipelineDp(const Problem& problem, const std::vector<PipelineUnit>& units);
  /// With the devices in one order, of which some may be left out.
  PipelineDp(const Problem& problem, const std::vector<PipelineUnit>& units,
             const std::vector<DeviceId>& order);

  /// How many sets of used devices there are, up to identical ones.
  double states() const;
  /// Empty where there is none with a bottleneck of at most `most_ps`, and where `nodes` does not
  /// suffice: a stage, with each of some sets of used devices, is one, and 1,000 are an evaluation.
  /// Throws Stopped.
  std::optional<Pipeline> best(const DownSets& sets, Picoseconds most_ps, NodeBudget& nodes) const;
  /// Whether `nodes` has so much left that what was looked for last was looked for to the end.
  static bool suffices(const NodeBudget& nodes) { return nodes.left(kNodesPerEvaluation) > 0; }

 private:
  class Table;

  /// Whether devices of the kind may have several stages.
  bool is_reusable(std::size_t kind) const;

  const Problem& problem_;
  const std::vector<PipelineUnit>& units_;
  bool is_ordered_;                             // the order of stages is given
  bool is_calls_;                               // the goal is call-latency
  std::vector<std::vector<DeviceId>> devices_;  // by kind, or one by one in the order
};

}  // namespace placer

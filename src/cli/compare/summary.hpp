#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/compare/runs.hpp"
#include "cli/compare/statistics.hpp"

namespace placer {

/// An algorithm's runs on one graph. Runs that do not fit count as infinitely slow.
struct AlgorithmSummary {
  std::string algorithm;       // its label
  std::size_t order = 0;       // its position in the comparison
  std::string name;            // "hash under pct", as Comparison::name_of has it
  bool deterministic = false;  // one run says all
  std::size_t runs = 0;
  std::size_t failed = 0;  // runs; there is one of either kind
  std::string reason;      // why the first one failed
  // Not numbers without a run:
  double median_seconds = 0, quartile_1_seconds = 0, quartile_3_seconds = 0, least_seconds = 0;
  std::optional<double> gap;  // of the median over the lower bound; empty where that is 0
  /// Of the median over the least median on the graph; empty where it does not fit.
  std::optional<double> ratio_to_best;
  double fits_share = 0;
  std::map<DeviceId, std::size_t> collapsed;  // runs whose learner ended on one device, by it
  // Medians over the runs:
  double best_sample_seconds = 0, recent_mean_seconds = 0;
  double evaluations = 0, evaluations_to_best = 0;
  double wall_seconds = 0, seconds_to_best = 0;
  /// So many steps, each faster by the median than on one device, save the time of the search;
  /// empty where nothing is saved, or nothing fits on one device.
  std::optional<double> pays_after_steps;
  /// A win is a better score than the first algorithm's from the same seed; a deterministic
  /// algorithm's one run meets every seed. Empty for the first algorithm itself and without a run.
  std::optional<SignTest> against_first;
  /// The same of the best of each run's own samples.
  std::optional<SignTest> own_best_against_first;
};

/// Of all devices.
std::size_t collapsed_runs(const AlgorithmSummary& row);

struct GraphSummary {
  const ComparedGraph* graph = nullptr;
  std::vector<AlgorithmSummary> algorithms;  // those with a run
};

/// One for each graph with a run.
std::vector<GraphSummary> summarize(const Comparison& comparison);

}  // namespace placer

#pragma once

#include <functional>
#include <span>
#include <vector>

#include "placer/search/run.hpp"

namespace placer {

struct TrainingProgress {
  std::int64_t updates = 0, evaluations = 0;
  double share = 0;  // of the budget, 0 to 1
  double wall_seconds = 0;
};

struct TrainingRequest {
  const Optimizer* optimizer = nullptr;  // one that transfers
  OptionValues options;                  // over those of `policy_in`, over the defaults
  Order order = Order::kFifo;
  Grouping grouping;
  std::int64_t evaluations = 2400;  // over all graphs, shared evenly
  std::uint64_t seed = 1;
  int threads = 1;
  std::vector<BatchScorer*> scorers;        // for each problem; empty: the threads score
  const Policy* policy_in = nullptr;        // weights to begin with
  const Policy* resume = nullptr;           // a checkpoint of the same request to go on from
  std::int64_t checkpoint_evaluations = 0;  // between checkpoints; 0: none
  std::function<void(const Policy&)> on_checkpoint;
  std::function<void(const TrainingProgress&)> on_progress;  // after updates
  const std::atomic<bool>* interrupt = nullptr;              // set: stop after this update
  Observer observer;                                         // told what each update does
};

struct TrainingResult {
  Policy policy;                     // with the state that resuming needs
  std::vector<SearchResult> graphs;  // best placements are of the problems' own groups
  std::int64_t updates = 0, evaluations = 0;
  double wall_seconds = 0;
  bool interrupted = false;
};

/// Trains one policy on several problems, an update on each in turn until the budget of each is
/// spent. Stopped and resumed any number of times, it ends with the same policy, to the last bit.
/// Throws Error for an optimizer whose policies do not transfer, for problems with different
/// numbers of devices, and for a checkpoint of another request.
TrainingResult train(std::span<const Problem> problems, const TrainingRequest& request);

}  // namespace placer

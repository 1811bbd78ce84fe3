#pragma once

#include <string>
#include <vector>

#include "cli/shared/request.hpp"
#include "placer/search/training.hpp"

namespace placer {

using TrainedGraphs = std::vector<LoadedProblem>;

/// A table with a row for each graph: what its samples took at first and at last, the best of them
/// and the best single device.
std::string train_text(const TrainedGraphs& graphs, const TrainingRequest& request,
                       const TrainingResult& result, const Look& look);
/// The same as a JSON object, with learning curves. A policy that could not be written, JSON or
/// empty, is in it under "unwritten_policy".
std::string train_json(const TrainedGraphs& graphs, const TrainingRequest& request,
                       const TrainingResult& result, const std::string& unwritten = "");

}  // namespace placer

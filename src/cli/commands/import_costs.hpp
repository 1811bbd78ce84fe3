#pragma once

#include <string>
#include <vector>

#include "cli/shared/graph_costs.hpp"

namespace placer {

/// What share of the peaks each class of measured ops reaches on the device of `machine` (as for
/// --devices) whose name or type is `device`. Throws Error.
std::vector<EfficiencyFit> fit_to(const std::string& machine, const std::string& device,
                                  const Graph& graph);

/// Rows of the summary: what it matched, what it did not, and the fit.
std::vector<std::vector<std::string>> measured_rows(const Measured& measured);
/// The same as a JSON object.
std::string measured_json(const Measured& measured);

}  // namespace placer

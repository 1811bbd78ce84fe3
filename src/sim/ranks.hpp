#pragma once

#include <vector>

#include "placer/model/problem.hpp"

namespace placer {

/// `upward_ranks` into memory that is there already: `ranks` has one entry for each op.
void fill_upward_ranks(const Problem& problem, const Placement& placement,
                       std::vector<Picoseconds>& ranks);

/// Sorts `ops` by larger rank (by OpId), then program order.
void sort_by_rank(const Graph& graph, const std::vector<Picoseconds>& ranks,
                  std::vector<OpId>& ops);

}  // namespace placer

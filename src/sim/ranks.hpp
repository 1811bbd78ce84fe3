#pragma once

#include <vector>

#include "placer/model/problem.hpp"

namespace placer {

/// `upward_ranks` into memory that is there already: `ranks` has one entry for each op.
void fill_upward_ranks(const Problem& problem, const Placement& placement,
                       std::vector<Picoseconds>& ranks);

/// Sorts `ops` by larger rank, then smaller `position` (both by OpId).
void sort_by_rank(std::vector<OpId>& ops, const std::vector<Picoseconds>& ranks,
                  const std::vector<std::size_t>& position);

/// Where each op stands in the program order, by OpId.
std::vector<std::size_t> program_positions(const Graph& graph);

}  // namespace placer

#pragma once

#include <cstdint>
#include <vector>

#include "search/groups/memory_fit.hpp"

namespace placer {

/// Where all ops stand beside a path. The places of its ops are 0, 1, ...
struct PathPlaces {
  PathPlaces(const Problem& problem, std::vector<OpId> along);

  std::int64_t length() const { return static_cast<std::int64_t>(ops.size()); }

  std::vector<OpId> ops;
  std::vector<std::int64_t> from;         // by op: the last place that leads to it; -1: none
  std::vector<std::int64_t> to;           // by op: the first place that it leads to; length(): none
  std::vector<std::vector<OpId>> ops_to;  // by place: the ops that lead there first
  // By tensor: the last place that leads to an op that reads it; -1 where there is none or it has
  // no bytes.
  std::vector<std::int64_t> read_from;
};

/// By op: its time on the fastest of the devices where its group fits.
std::vector<Picoseconds> fastest_ps(const Problem& problem, const MemoryFit& fit);

/// A path from its first op to its last whose ops have the largest sum of `weights`, one for each
/// op.
std::vector<OpId> longest_path(const Graph& graph, const std::vector<double>& weights);

/// The largest tensor that the op `from` makes and `to` reads; there is one.
TensorId sent_between(const Graph& graph, OpId from, OpId to);

}  // namespace placer

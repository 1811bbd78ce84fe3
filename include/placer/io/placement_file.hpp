#pragma once

#include <optional>
#include <string>

#include "placer/model/microbatches.hpp"
#include "placer/model/problem.hpp"
#include "placer/sim/score.hpp"

namespace placer {

struct PlacementFile {
  Placement placement;                   // of the problem's own groups
  std::optional<Sequences> sequences;    // where the order is part of the answer
  std::optional<double> step_seconds;    // what the file's score claims
  std::optional<MicroBatches> pipeline;  // where the step has several micro-batches
};

/// Reads a `placer-placement` file for `problem`: every op once, on a known, allowed device, each
/// colocation group on one; sequences that hold every op once on its device and do not deadlock.
/// Throws Error: "FILE: JSON path: expected ..., found ...".
PlacementFile read_placement(const std::string& path, const Problem& problem);
PlacementFile parse_placement(const std::string& text, const std::string& file,
                              const Problem& problem);

/// `request_json` is a JSON object (the request that gave the placement, without wall times,
/// threads and paths); "" leaves it out. The same arguments give the same bytes.
std::string write_placement(const Problem& problem, const Placement& placement, const Score& score,
                            const std::optional<Sequences>& sequences,
                            const std::string& request_json,
                            const std::optional<MicroBatches>& pipeline = std::nullopt);

}  // namespace placer

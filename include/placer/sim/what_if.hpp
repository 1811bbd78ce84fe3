#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "placer/model/problem.hpp"
#include "placer/sim/simulator.hpp"

namespace placer {

/// A placement and the rules under which its step is simulated; `sequence` counts under order
/// `given` alone, as for Simulator.
struct PlacedStep {
  const Problem& problem;
  const Placement& placement;
  Order order = Order::kFifo;
  const OpOrder& sequence;
};

/// How many times as fast things are; all numbers are above 0.
struct Speedup {
  double links = 1;             // latency and bytes per second
  std::vector<double> devices;  // by device; empty: all 1
};

/// The score of the same placement on a machine that is so much faster. Throws Stopped where the
/// problem's deadline has passed.
Score score_if(const PlacedStep& step, const Speedup& speedup);

/// A move that would shorten the step if only its device had more memory: of one group, or of
/// everything.
struct BarredMove {
  std::optional<GroupId> group;    // empty: everything
  Picoseconds step_ps = 0;         // with the move
  std::int64_t missing_bytes = 0;  // on the device
};

/// By device, the best such move onto it, or nothing where its memory bars none. What is tried is
/// everything, and the groups of `ops`, the first ones first, in at most `most_simulations` moves
/// to devices that could hold too much then.
/// `now` is the score of the placement as it is. Throws Stopped as score_if does.
std::vector<std::optional<BarredMove>> barred_moves(const PlacedStep& step, const Score& now,
                                                    const std::vector<OpId>& ops,
                                                    std::size_t most_simulations);

}  // namespace placer

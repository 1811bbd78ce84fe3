#pragma once

#include <limits>
#include <vector>

#include "placer/model/problem.hpp"
#include "search/bounds/join_region.hpp"
#include "search/groups/memory_fit.hpp"

namespace placer {

/// For each op and each device: nothing that fits starts the op there earlier than its head, or
/// ends the step sooner after the op's end there than its tail.
struct HeadsAndTails {
  static constexpr Picoseconds kNever = std::numeric_limits<Picoseconds>::max();

  std::vector<Picoseconds> heads_ps, tails_ps;  // op * devices + device; kNever where it cannot go
  std::vector<Picoseconds> least_heads_ps, least_tails_ps;  // by op, over the devices
};

/// Aware of forks and joins: of the ops near a join, those whose outputs cannot arrive from
/// elsewhere by T have to run on the join's device, one after the other (or `slots` at once), and
/// likewise those after a fork that would end the step too late elsewhere (after Papadimitriou,
/// Yannakakis 1990).
HeadsAndTails fork_join_times(const Problem& problem, const MemoryFit& fit,
                              Depth depth = Depth::kBranches);

/// Raises heads on paths of at least `from_ps`, given both: whole branches before a join are looked
/// at, and their ops agree on where they run (see JoinSearch). Of `fit` nothing is fixed. False
/// where it stopped after too much was looked at for nothing.
bool sharpen_heads(const Problem& problem, const MemoryFit& fit, Picoseconds from_ps,
                   HeadsAndTails& times);

/// The longest, over groups, of head + the group's work + tail on its best device.
Picoseconds fork_join_bound(const Problem& problem, const MemoryFit& fit,
                            const HeadsAndTails& times);

}  // namespace placer

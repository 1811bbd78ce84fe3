#pragma once

#include <limits>
#include <span>
#include <vector>

#include "placer/model/problem.hpp"
#include "search/groups/memory_fit.hpp"
#include "search/joins/device_kinds.hpp"
#include "search/joins/join_region.hpp"
#include "search/joins/stretch.hpp"

namespace placer {

/// Heads and tails of ops, for each op and each device. No placement that fits starts the op on the
/// device before its head, and in none does the step end sooner after the op's end there than its
/// tail.
struct HeadsAndTails {
  Picoseconds head_ps(OpId op, DeviceId device) const { return heads_ps[columns.at(op, device)]; }
  Picoseconds tail_ps(OpId op, DeviceId device) const { return tails_ps[columns.at(op, device)]; }

  DeviceColumns columns;                                    // of both tables
  std::vector<Picoseconds> heads_ps, tails_ps;              // kNeverPs where it cannot go
  std::vector<Picoseconds> least_heads_ps, least_tails_ps;  // by op, over the devices
};

/// Heads and tails that see joins, ops that wait for several others, and forks, ops that several
/// others wait for. If a join is to start by a time T, the ops before it whose outputs cannot
/// arrive from another device by T have to run on its device, one after the other (or as many at
/// once as it has slots). The same holds, read backwards, for ops after a fork (after
/// Papadimitriou, Yannakakis 1990). Where there are so many kinds of devices that this would take
/// long, heads and tails see paths alone, and no transfers. Through each of the
/// `stretches` passes at least what is known to.
HeadsAndTails fork_join_times(const Problem& problem, const MemoryFit& fit,
                              Depth depth = Depth::kBranches,
                              std::span<const Stretch> stretches = {});

/// Raises the heads of `times` on paths of at least `from_ps`: it looks at the whole branches
/// before a join, whose ops have to agree on where they run (see JoinSearch). False where it
/// stopped early, after it had looked at much for nothing.
bool sharpen_heads(const Problem& problem, const MemoryFit& fit, Picoseconds from_ps,
                   std::span<const Stretch> stretches, HeadsAndTails& times);

/// The least step in which the group can be on the device: head + the group's work + tail there.
Picoseconds least_step_ps(const Problem& problem, const HeadsAndTails& times, GroupId group,
                          DeviceId device);

/// The largest, over all groups, of `least_step_ps` on the device where this is least.
Picoseconds fork_join_bound(const Problem& problem, const MemoryFit& fit,
                            const HeadsAndTails& times);

}  // namespace placer

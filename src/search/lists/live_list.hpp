#pragma once

#include <span>

#include "placer/model/problem.hpp"

namespace placer {

struct LiveList {
  Placement placement;
  OpOrder order;
  Picoseconds makespan_ps = 0;  // as the list has it
};

/// A list schedule that knows what each device holds at each time (MemHEFT in Herrmann, Marchal,
/// Robert 2014): `ops`, all of them in a topological order, go one by one where they finish first,
/// and wait for memory as they do for their inputs. Of each device's memory `limit` counts.
/// Parameters are there throughout, an output until its last reader there has ended and the others
/// have their copies, a copy from its producer's end on. An op that finds no room anywhere goes
/// where most is left. Transfers do not wait for each other. Throws Stopped when the problem's
/// deadline has passed.
LiveList live_list(const Problem& problem, std::span<const OpId> ops, double limit = 1);

}  // namespace placer

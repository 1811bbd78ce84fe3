#pragma once

#include <array>
#include <string>
#include <string_view>

#include "placer/base/observer.hpp"
#include "placer/model/problem.hpp"
#include "placer/sim/simulator.hpp"

namespace placer {

class Search;

/// Lower bounds on the objective, which stand for the step time under `latency`: no placement that
/// fits is faster, however links share channels and in whatever order devices take their ops, but
/// for the path in runs, and so B7, where the order is known. They are rounded so that none is ever
/// above a true optimum. Under throughput there is B4 alone, in which each op is shared out among
/// the slots as well, while groups of accelerators with one slot are whole and pay for copies;
/// under call-latency there are B1 and `calls`; the others are 0.
struct LowerBounds {
  Picoseconds path_ps = 0;         // B1: critical path of fastest times, no transfers
  Picoseconds device_path_ps = 0;  // B2: critical path that pays for changing devices
  /// B3: a critical path that sees joins, ops that wait for several others. Ops before a join whose
  /// outputs could not arrive from another device in time have to share the join's device and run
  /// one after the other (Papadimitriou, Yannakakis 1990). The best joint placement of the ops near
  /// a join counts, in which tensors wait for those sent before over the same channels. Between two
  /// ops of the longest path that all others there come before or after passes at least the largest
  /// bound of what is between them as a problem of its own.
  Picoseconds fork_join_ps = 0;
  /// B4: the least time in which the devices' slots can do all work, if every group could be split
  /// over devices at will. What groups hold at one instant, the end of the step or while some op
  /// runs, has to fit in the memories, in sums of whole groups and, where they are few, with only
  /// so many large groups on each device.
  Picoseconds load_ps = 0;
  /// B5: for some set of ops, the least time that passes before any of them can start, plus the
  /// time that the devices need for their work, plus the least time that follows the last of them.
  /// The largest such sum.
  Picoseconds staged_load_ps = 0;
  /// The least step time in which a path ends that is cut into runs, from device to device, so
  /// often that each has room for the groups of its run and time for all their work, and that waits
  /// in a run for ops of these groups that the order in force takes first.
  Picoseconds cut_ps = 0;
  /// B6: the least step time for which, in every interval of time, the work that cannot be outside
  /// it fits into it (Fernandez, Bussell 1973). On graphs that are too large for this, the largest
  /// of the other bounds.
  Picoseconds interval_ps = 0;

  /// B7: the least step time in which work, paths and memory all find room, where groups can be
  /// split over devices at will but are on no device where their own work, what comes before and
  /// what follows would take longer (after Lenstra, Shmoys, Tardos 1990). At least as large as all
  /// others; equal to the largest of them on graphs that are too large for this.
  Picoseconds short_step_ps = 0;

  /// Calls: the least time of a path under call-latency, whose ops are on hosts or in calls, each
  /// of which holds and runs all ops between those of the path that it has, and copies what must
  /// cross.
  Picoseconds call_path_ps = 0;

  /// One line that says why no placement fits; "" where that is not known. If no placement fits,
  /// the bounds mean nothing.
  std::string infeasible;

  Picoseconds best_ps() const;
};

/// A bound's name in results, what it is, and the member.
struct LowerBoundInfo {
  std::string_view name, meaning;
  Picoseconds LowerBounds::*value;
};

inline constexpr std::array<LowerBoundInfo, 9> kLowerBounds = {{
    {"B1", "critical path", &LowerBounds::path_ps},
    {"B2", "path with transfers", &LowerBounds::device_path_ps},
    {"B3", "forks and joins", &LowerBounds::fork_join_ps},
    {"B4", "work over devices", &LowerBounds::load_ps},
    {"B5", "work between head and tail", &LowerBounds::staged_load_ps},
    {"cut", "path in runs on devices", &LowerBounds::cut_ps},
    {"B6", "work in intervals", &LowerBounds::interval_ps},
    {"calls", "path through calls", &LowerBounds::call_path_ps},
    {"B7", "work, paths and memory together", &LowerBounds::short_step_ps},
}};

/// The bound with the largest value, the first of equal ones.
const LowerBoundInfo& best_bound(const LowerBounds& bounds);

/// All bounds of a problem where devices take ops in `order`; under `kGiven`, in any order. Takes
/// at most 150 ms for 10,000 ops and 8 devices. Those that the problem's deadline leaves no time
/// for are 0 or less sharp. `observer` is told the bounds, and which of them a large problem did
/// without.
LowerBounds lower_bounds(const Problem& problem, const Observer& observer = {},
                         Order order = Order::kGiven);
/// Of what a search places: those that its request knows, else as above.
LowerBounds lower_bounds(const Search& search);

}  // namespace placer

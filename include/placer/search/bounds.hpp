#pragma once

#include <array>
#include <string>
#include <string_view>

#include "placer/base/observer.hpp"
#include "placer/model/problem.hpp"

namespace placer {

/// Lower bounds on the step time of every placement that fits, under every order and contention.
/// Rounding never lifts one above a true optimum.
struct LowerBounds {
  Picoseconds path_ps = 0;         // B1: critical path of fastest times, no transfers
  Picoseconds device_path_ps = 0;  // B2: critical path that pays for changing devices
  /// B3: the same where ops near a join whose outputs cannot arrive in time from elsewhere run one
  /// after the other (Papadimitriou, Yannakakis 1990), in the best joint placement of them, in
  /// which tensors wait for those sent before over the same channels.
  Picoseconds fork_join_ps = 0;
  /// B4: fractional assignment of work to devices and slots, and of what groups hold throughout to
  /// memories.
  Picoseconds load_ps = 0;
  /// B5: the largest sum of the least time before a set of ops, their work over the devices, and
  /// the least time after them.
  Picoseconds staged_load_ps = 0;
  /// The cheapest transfer on a path, where no device can hold a connected part of the graph.
  Picoseconds cut_ps = 0;
  /// B6: work that cannot be outside an interval fits into it (Fernandez, Bussell 1973); the
  /// largest of the others on graphs too large for it.
  Picoseconds interval_ps = 0;

  /// Why no placement fits, in one line; "" where that is not known. Then the bounds hold for
  /// nothing.
  std::string infeasible;

  Picoseconds best_ps() const;
};

/// A bound's name in results, what it is, and the member.
struct LowerBoundInfo {
  std::string_view name, meaning;
  Picoseconds LowerBounds::*value;
};

inline constexpr std::array<LowerBoundInfo, 7> kLowerBounds = {{
    {"B1", "critical path", &LowerBounds::path_ps},
    {"B2", "path with transfers", &LowerBounds::device_path_ps},
    {"B3", "forks and joins", &LowerBounds::fork_join_ps},
    {"B4", "work over devices", &LowerBounds::load_ps},
    {"B5", "work between head and tail", &LowerBounds::staged_load_ps},
    {"cut", "a transfer that memory forces", &LowerBounds::cut_ps},
    {"B6", "work in intervals", &LowerBounds::interval_ps},
}};

/// The first with the largest value.
const LowerBoundInfo& best_bound(const LowerBounds& bounds);

/// Within 150 ms at 10,000 ops and 8 devices. `observer` is told the bounds, and which of them a
/// large problem did without.
LowerBounds lower_bounds(const Problem& problem, const Observer& observer = {});

}  // namespace placer

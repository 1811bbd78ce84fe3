#pragma once

#include <optional>
#include <vector>

#include "placer/search/search.hpp"
#include "search/core/group_changes.hpp"
#include "search/groups/neighbours.hpp"
#include "search/local/ejection.hpp"
#include "search/local/estimated_memory.hpp"
#include "search/local/timing.hpp"

namespace placer {

/// Draws changes of a walk along the critical path of its schedule: an op of the path goes to
/// another device, to another place in its device's sequence, or changes places with an op of
/// another device (after Nowicki, Smutnicki 1996 and Mastrolilli, Gambardella 2000). Where the walk
/// has no order, devices alone change; then also blocks move, groups trade places between devices
/// wherever they run, as memory may ask for, and identical devices change names from some group on.
class CriticalMoves {
 public:
  CriticalMoves(const Problem& problem, const Neighbours& neighbours);

  /// From the next schedule on, `more_overflow_bytes` is estimated, and layers are placed as others
  /// that are alike.
  void estimate_memory();

  /// Reads the schedule of the walk that is handed to `draw` from now on.
  void read(const Schedule& schedule, Rng& rng);
  /// Begins a walk at `placement` and reads its schedule, which takes an evaluation. Under order
  /// `given` the walk's order is that of the ops' starts. Empty once the budget is spent.
  std::optional<Walk> walk_from(Search& search, Placement placement, const OpOrder& order);
  /// To be called after a change of the walk. Where the timing cannot follow the change by itself,
  /// the schedule is read, which takes an evaluation; after small changes that is not done each
  /// time. False once the budget is spent.
  bool update(const Walk& walk, Search& search);
  const Timing& timing() const { return timing_; }

  /// The critical path: ops of a chain without slack, from the last to the first.
  const std::vector<OpId>& path() const { return path_; }

  struct Place {  // in the sequence of a device, before the op that is there now
    DeviceId device;
    std::size_t rank = 0;
    Picoseconds estimate_ps = 0;  // as of a change that puts an op there
  };
  /// Finds the best place of `op` on each other device where it may go and, where the walk has an
  /// order, also on its own.
  void places(const Walk& walk, OpId op, std::vector<Place>& found) const;
  /// Adds to `change` that `op` goes to `place`.
  void put(const Walk& walk, OpId op, const Place& place, Change& change) const;

  /// Draws several random changes and takes the one with the least estimate, which may be empty.
  void draw(const Walk& walk, Rng& rng, std::size_t tries, Change& change);
  /// By how many bytes more the peaks would be above the capacities, about; 0 where that is not
  /// estimated.
  double more_overflow_bytes(const Change& change);
  /// Adds moves to `change`, about which that was asked last, that make room for it (`Ejection`).
  /// Returns by how many bytes more the peaks would still be above the capacities.
  double make_room(const Walk& walk, Search& search, Change& change);

 private:
  void draw_one(const Walk& walk, Rng& rng, Change& change);
  OpId draw_op(Rng& rng) const;
  void relocate(const Walk& walk, OpId op, Rng& rng, Change& change);
  void reorder(const Walk& walk, OpId op, Rng& rng, Change& change);
  void exchange(const Walk& walk, OpId op, Rng& rng, Change& change);
  /// When an op could begin on a device as far as its inputs say, how long it runs there, and how
  /// long the step goes on because of its outputs.
  struct Links {
    Picoseconds ready_ps, own_ps, tail_ps;
  };
  Links links(OpId op, DeviceId device) const;
  Place best_place(OpId op, DeviceId device) const;
  Picoseconds insertion_ps(OpId op, const Links& there, DeviceId device, std::size_t rank) const;
  Picoseconds replacement_ps(const Links& there, OpId replaced) const;
  std::size_t order_position(const Walk& walk, OpId op, const Place& place) const;

  const Problem* problem_;
  const Neighbours* neighbours_;
  const std::vector<GroupId> sequence_;  // groups by their first op
  Timing timing_;
  std::optional<EstimatedMemory> memory_;
  Ejection ejection_;
  std::optional<AlikeGroups> alike_;  // where memory is estimated
  std::vector<OpId> path_;
  Change candidate_;
  int lost_ = 0;     // times in a row that timing could not follow
  int changes_ = 0;  // since a schedule was read
};

}  // namespace placer

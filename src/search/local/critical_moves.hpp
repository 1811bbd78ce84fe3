#pragma once

#include <optional>
#include <vector>

#include "placer/search/search.hpp"
#include "search/core/group_changes.hpp"
#include "search/groups/neighbours.hpp"
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

  /// The schedule of the walk that is handed to `draw` from now on.
  void read(const Schedule& schedule, Rng& rng);
  /// A walk from `placement` whose schedule, an evaluation, is read; under `given` its order
  /// follows the starts. Empty once the budget is spent.
  std::optional<Walk> walk_from(Search& search, Placement placement, const OpOrder& order);
  /// After a change of the walk. Where timing cannot follow that by itself, an evaluation reads the
  /// schedule, but for small changes not each time. False once the budget is spent.
  bool update(const Walk& walk, Search& search);
  const Timing& timing() const { return timing_; }

  /// Without slack, from the last op to the first.
  const std::vector<OpId>& path() const { return path_; }

  struct Place {  // in the sequence of a device, before the op that is there now
    DeviceId device;
    std::size_t rank = 0;
    Picoseconds estimate_ps = 0;  // as of a change that puts an op there
  };
  /// The best place of `op` on each other device where it may go and, where the walk has an order,
  /// on its own.
  void places(const Walk& walk, OpId op, std::vector<Place>& found) const;
  /// Adds to `change` that `op` goes to `place`.
  void put(const Walk& walk, OpId op, const Place& place, Change& change) const;

  /// Of several random changes the one with the least estimate. May be empty.
  void draw(const Walk& walk, Rng& rng, std::size_t tries, Change& change);

 private:
  void draw_one(const Walk& walk, Rng& rng, Change& change);
  OpId draw_op(Rng& rng) const;
  void relocate(const Walk& walk, OpId op, Rng& rng, Change& change);
  void reorder(const Walk& walk, OpId op, Rng& rng, Change& change);
  void exchange(const Walk& walk, OpId op, Rng& rng, Change& change);
  Place best_place(OpId op, DeviceId device) const;
  Picoseconds insertion_ps(OpId op, const Place& place) const;
  Picoseconds replacement_ps(OpId op, OpId replaced) const;
  std::size_t order_position(const Walk& walk, OpId op, const Place& place) const;

  const Problem* problem_;
  const Neighbours* neighbours_;
  const std::vector<GroupId> sequence_;  // groups by their first op
  Timing timing_;
  std::vector<OpId> path_;
  Change candidate_;
  int lost_ = 0;     // times in a row that timing could not follow
  int changes_ = 0;  // since a schedule was read
};

}  // namespace placer

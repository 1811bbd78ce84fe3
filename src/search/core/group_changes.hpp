#pragma once

#include <span>
#include <vector>

#include "placer/search/search.hpp"
#include "search/groups/neighbours.hpp"

namespace placer {

/// A change for Walk::propose.
struct Change {
  std::vector<Move> moves;
  std::vector<OpShift> shifts;
  /// How long the chains through the ops that move would be, with everything else as it was: the
  /// step takes hardly less. 0 where nothing is known.
  Picoseconds estimate_ps = 0;

  bool empty() const { return moves.empty() && shifts.empty(); }
  void clear();
};

/// A random group adopts the device of a neighbour, or any device; perhaps a neighbour that stood
/// with it comes along. Empty where that changes nothing, as all of these.
void draw_adoption(const Problem& problem, const Neighbours& neighbours, const Placement& placement,
                   Rng& rng, Change& change);
/// `seed` and groups that stand with it, connected, go to one other device.
void draw_block(const Problem& problem, const Neighbours& neighbours, const Placement& placement,
                GroupId seed, Rng& rng, Change& change);
/// `group` joins a neighbour on another device, and some group of that device joins a neighbour
/// where `group` was, whenever they run; perhaps with as many groups that stand with each,
/// connected. Where memory is tight, neither could go alone.
void draw_trade(const Problem& problem, const Neighbours& neighbours, const Placement& placement,
                GroupId group, Rng& rng, Change& change);
/// From `first` on in `sequence`, all groups in topological order, its device and an identical one
/// change names: what comes later stays as good as it was, and only where the names change can a
/// layer be placed otherwise.
void draw_renaming(const Problem& problem, std::span<const GroupId> sequence,
                   const Placement& placement, GroupId first, Rng& rng, Change& change);

}  // namespace placer

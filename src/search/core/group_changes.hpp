#pragma once

#include <span>
#include <vector>

#include "placer/search/search.hpp"
#include "search/groups/alike_groups.hpp"
#include "search/groups/neighbours.hpp"

namespace placer {

/// A change for Walk::propose.
struct Change {
  std::vector<Move> moves;
  std::vector<OpShift> shifts;
  /// How long the longest chain through the ops that move would be if all else stayed as it was;
  /// the step will hardly be shorter. 0 where nothing is known.
  Picoseconds estimate_ps = 0;

  bool empty() const { return moves.empty() && shifts.empty(); }
  void clear();
};

/// Draws a change in which a random group goes to the device of a neighbour, or to any device;
/// perhaps a neighbour that was on its device comes along. As with all of these functions, `change`
/// is empty where that would change nothing.
void draw_adoption(const Problem& problem, const Neighbours& neighbours, const Placement& placement,
                   Rng& rng, Change& change);
/// Draws a change in which `seed`, and connected groups on its device, go to one other device.
void draw_block(const Problem& problem, const Neighbours& neighbours, const Placement& placement,
                GroupId seed, Rng& rng, Change& change);
/// Draws a trade: `group` goes to the device of a neighbour, and some group of that device goes to
/// a neighbour on the device that `group` left, whenever either runs; perhaps equally many
/// connected groups go along with each. This is for tight memory, where neither could go alone.
void draw_trade(const Problem& problem, const Neighbours& neighbours, const Placement& placement,
                GroupId group, Rng& rng, Change& change);
/// Draws a change in which, from `first` on, the device of `first` and an identical one exchange
/// their groups. `sequence` has all groups in topological order. What comes later stays as good as
/// it was, so that only the place where the names change is placed otherwise.
void draw_renaming(const Problem& problem, std::span<const GroupId> sequence,
                   const Placement& placement, GroupId first, Rng& rng, Change& change);

/// Draws a change in which `group`, and groups before and after it, are placed as another stretch
/// of groups that are alike one by one, such as those of another layer or of several; perhaps these
/// are then placed as the first were. Where most of the two stretches are on two identical devices,
/// these exchange their names, so that each layer stays where most of it is.
void draw_likeness(const Problem& problem, const AlikeGroups& alike, const Placement& placement,
                   GroupId group, Rng& rng, Change& change);

/// Improves the best placement so far by small moves: a random group, at times together with a
/// neighbour, goes to the device of a neighbour or to any device, and stays there unless that is
/// worse; of these moves the share `likeness` place a stretch as one that is alike. Returns true
/// when nothing gets better any more, false when the budget is spent, and at once where the best
/// cannot be expressed in these groups.
bool refine(Search& search, double likeness = 0);

/// Improves the best placement so far by exchanges of all that two devices of different kinds have,
/// until none of them gains. Single groups cannot get from a slow device that is full to a fast
/// one, where each alone would only send more. Does nothing where all devices are alike.
void exchange_devices(Search& search);

}  // namespace placer

#pragma once

#include <vector>

#include "placer/base/deadline.hpp"
#include "search/exact/down_sets.hpp"
#include "search/exact/stage_costs.hpp"

namespace placer {

/// What to do once a stage has been looked at: add to it, turn back, or stop all of it.
enum class Next { kGrow, kBack, kStop };

/// All stages that begin after down-set `from`: each larger down-set comes once, its units in
/// rising order, and visit(set) says what to do next, while `costs` are those of the stage. False
/// where it stopped.
template <class Visit>
bool walk_stages(const DownSets& sets, std::uint32_t from, StageCosts& costs, Watch& watch,
                 Visit visit) {
  struct Frame {
    std::uint32_t set;
    std::size_t next;   // cover to try
    std::int64_t unit;  // added last; later ones are larger
  };
  std::vector<Frame> path = {{from, 0, -1}};
  while (!path.empty()) {
    Frame& frame = path.back();
    const std::vector<DownSets::Cover>& covers = sets.covers[frame.set];
    while (frame.next < covers.size() && covers[frame.next].unit <= frame.unit) ++frame.next;
    if (frame.next == covers.size()) {
      path.pop_back();
      if (!path.empty()) costs.take_back();
      continue;
    }
    const DownSets::Cover cover = covers[frame.next++];
    costs.add(cover.unit);
    watch.check(10);
    const Next next = visit(cover.set);
    if (next == Next::kStop) return false;
    if (next == Next::kGrow) {
      path.push_back({cover.set, 0, cover.unit});
    } else {
      costs.take_back();
    }
  }
  return true;
}

}  // namespace placer

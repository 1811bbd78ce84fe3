#pragma once

#include <cstdint>
#include <vector>

#include "search/core/group_changes.hpp"
#include "search/groups/group_graph.hpp"
#include "search/groups/neighbours.hpp"
#include "sim/objectives/call_latency.hpp"
#include "sim/objectives/device_loads.hpp"

namespace placer {

/// Draws changes of a placement under the objective call-latency. Most begin at an op of a longest
/// chain of calls and ops on hosts. A group joins the device of a neighbour, perhaps with all
/// groups on paths between the two, without which calls would wait for each other; a call is cut in
/// two at a group, with all that precedes or follows it there; connected groups move, and groups
/// trade places.
class CallMoves {
 public:
  CallMoves(const Problem& problem, const Neighbours& neighbours);

  /// Changes are drawn from `placement` on from now on.
  void stand_at(const Placement& placement);
  /// To be called when `moves` have been made.
  void follow(std::span<const Move> moves);
  /// `change` is empty where that would change nothing.
  void draw(Rng& rng, Change& change);

 private:
  enum class Side { kBefore, kAfter };  // of the group that moves

  void find_critical();
  GroupId draw_group(Rng& rng);
  DeviceId draw_device(GroupId group, Rng& rng) const;
  void join(GroupId group, Rng& rng, Change& change);
  void cut(GroupId group, Rng& rng, Change& change);
  void find_towards(const Move& move, Side side);
  void add_between(const Move& move, Side side, Change& change);
  bool add(GroupId group, DeviceId device, Change& change) const;
  bool mark(std::size_t group);

  const Placement& placement() const { return loads_.placement(); }

  const Problem& problem_;
  const Neighbours& neighbours_;
  const GroupGraph graph_;
  std::vector<std::size_t> position_;  // by group: in graph_.order
  DeviceLoads loads_;
  CallLatency calls_;
  std::vector<OpId> critical_;
  int changes_ = 0;                    // since critical_ was found
  std::vector<std::uint64_t> marked_;  // by group: the last stamp
  std::uint64_t stamp_ = 0;
  std::vector<std::uint32_t> pending_, between_;
};

}  // namespace placer

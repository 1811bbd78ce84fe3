#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "placer/base/deadline.hpp"
#include "placer/model/problem.hpp"
#include "search/groups/index_lists.hpp"
#include "sim/objectives/contiguity.hpp"
#include "sim/objectives/goal_score.hpp"

namespace placer {

/// Makes moves of groups keep to the contiguity that the problem's goal asks for: a group takes
/// along those that its producers and consumers would otherwise be in the way of. The devices of a
/// placement stand in an order, the goal's or one in which its tensors go; a group that goes to a
/// later stage takes its consumers on earlier ones along, one that goes to an earlier stage its
/// producers on later ones. A device without groups becomes a stage beside the group's own. Where
/// the goal asks for no more than contiguity, moves keep to stages all the same. Takes time in
/// proportion to the ops and their inputs; throws Stopped when the problem's deadline has passed.
class ContiguityRepair {
 public:
  explicit ContiguityRepair(const Problem& problem);

  /// Adds to `moves` from `placement` what has to come along, or changes their devices to the
  /// nearest stages where groups may go. `moves` stay as they are where they keep to the goal,
  /// where `placement` does not, and where nothing is found that does.
  void repair(const Placement& placement, std::vector<Move>& moves);
  /// `placement` where it keeps to the goal (and, under call-latency, no calls wait for each
  /// other), else a pipeline near to it, of two the one that took fewer moves: its devices in the
  /// goal's order, or in that of their groups' mean positions in the graph, all groups no earlier
  /// than their producers, or no later than their consumers. `placement` again where neither can
  /// be.
  Placement kept(const Placement& placement);
  /// `to`, where what differs from `from` was repaired as moves.
  Placement repaired(const Placement& from, const Placement& to);

 private:
  enum class Way { kEarlier, kLater };

  bool keep(std::span<const Move> moves);
  bool is_in_order(GroupId group) const;
  bool is_in_stages(const Placement& placement);
  bool keeps(const Placement& placement);
  bool pull(Way way);
  void stand_at(const Placement& placement);
  void line_up_devices();
  void order_devices();
  void open_stage(GroupId group, DeviceId device);
  bool put(GroupId group, DeviceId device);
  bool take_along(Way way);
  void move_to(GroupId group, DeviceId device);
  const DeviceId* nearest(GroupId group, std::size_t stage, Way way) const;
  std::size_t stage_of(GroupId group) const { return stage_[placement_[group].index()]; }

  const Problem problem_;
  ContiguityCheck asked_;              // as the goal has it
  std::optional<GoalScore> calls_;     // where the goal is of calls
  ContiguityCheck check_;              // of stages
  IndexLists consumers_, producers_;   // by group: groups by what ops of the forward pass hand on
  std::vector<std::size_t> position_;  // by group: of its first op in program order
  Placement current_;                  // as handed over last
  bool is_kept_ = false;               // by `current_`
  std::vector<std::size_t> stages_of_current_, stage_;  // by device
  Placement placement_;                                 // `current_` but for what has moved
  std::vector<GroupId> moved_;
  std::vector<std::uint32_t> pending_;
  Watch watch_;
};

}  // namespace placer

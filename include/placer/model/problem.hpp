#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "placer/base/deadline.hpp"
#include "placer/model/costs.hpp"
#include "placer/model/graph.hpp"
#include "placer/model/groups.hpp"
#include "placer/model/objective.hpp"
#include "placer/model/placement.hpp"
#include "placer/model/topology.hpp"

namespace placer {

/// A graph on devices: all that a placement's step time depends on. Cheap to copy; never changes.
class Problem {
 public:
  /// A problem with the colocation groups of the graph file. Throws Error for all that CostModel
  /// and Groups refuse, and where some tensor might have to cross between two devices that no link
  /// joins.
  Problem(Graph graph, Topology topology);

  /// The same problem with other groups. `group_of[op]` is 0 .. count-1, and all ops of a group may
  /// go to the same devices.
  Problem with_groups(std::vector<GroupId> group_of) const;

  /// The same problem, whose placements are judged by `goal`: by their step time alone otherwise.
  Problem with_goal(Goal goal) const;
  const Goal& goal() const { return goal_; }

  /// The same problem, on which long work asks `deadline` and throws Stopped when it has passed.
  Problem within(const Deadline& deadline) const;
  /// Never, but for what `within` has set.
  const Deadline& deadline() const { return deadline_; }

  const Graph& graph() const { return parts_->graph; }
  const Topology& topology() const { return parts_->topology; }
  const CostModel& costs() const { return parts_->costs; }
  const Groups& groups() const { return *groups_; }
  std::size_t op_count() const { return graph().ops().size(); }
  std::size_t device_count() const { return topology().devices().size(); }

  /// The time of all of the group's ops on a device where it may go.
  Picoseconds group_ps(GroupId group, DeviceId device) const;
  /// The op's least time over the devices where its group may go.
  Picoseconds fastest_ps(OpId op) const;
  /// The first device with the same features, links, op times and allowed groups; renaming the two
  /// changes no step time under contention `link` and `none`.
  DeviceId first_identical(DeviceId device) const { return parts_->identical[device.index()]; }
  /// The placement that has every group on `device`; empty where some group may not go there.
  std::optional<Placement> all_on(DeviceId device) const;

 private:
  struct Parts {
    Graph graph;
    Topology topology;
    AllowedDevices allowed;  // by op, without its group
    Groups colocation;
    CostModel costs;
    std::vector<DeviceId> identical;
    Parts(Graph&& graph, Topology&& topology);
  };

  std::shared_ptr<const Parts> parts_;
  std::shared_ptr<const Groups> groups_;
  Goal goal_;
  Deadline deadline_;
};

}  // namespace placer

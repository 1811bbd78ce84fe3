#pragma once

#include <array>
#include <vector>

#include "search/joins/join_members.hpp"
#include "search/lists/occupancy.hpp"

namespace placer {

/// Devices for the members' groups; the first groups have theirs, the others have none yet.
struct JointPlacement {
  std::size_t placed = 0;
  std::array<DeviceId, JoinMembers::kMost + 1> devices{};
};

/// Works out when a join can start if the ops right before it run where a joint placement has them.
class JointStart {
 public:
  JointStart(const Problem& problem, const JoinMembers& members)
      : problem_(problem), members_(members) {}

  /// To be called after each new selection of the members.
  void begin(const JoinBasis& basis);

  /// A time before which the join cannot start under this placement. Ops start neither before their
  /// heads nor before their inputs, which wait for the tensors that must have been sent over the
  /// same channels before; ops on one device take turns.
  Picoseconds least_ps(const JoinBasis& basis, const JointPlacement& placement);

 private:
  struct Crossing {
    std::size_t flow;
    DeviceId to;
    Picoseconds end_ps;
    LinkChannels channels;
  };

  bool is_placed(const JointPlacement& placement, std::size_t m) const {
    return members_.all()[m].group < placement.placed;
  }
  DeviceId device(const JointPlacement& placement, std::size_t m) const {
    return placement.devices[members_.all()[m].group];
  }
  Picoseconds arrival_ps(const JointPlacement& placement, std::size_t m) const;
  void send(const JointPlacement& placement, std::size_t m);
  void cross(std::size_t flow, DeviceId from, DeviceId to);
  Picoseconds take_turns();

  const Problem& problem_;
  const JoinMembers& members_;
  std::vector<std::size_t> kinds_;    // by device: which of the basis' places is like it
  std::vector<Picoseconds> ends_ps_;  // by member
  std::vector<Crossing> crossings_;
  std::vector<DeviceId> receivers_;           // of the flow at hand
  std::vector<std::vector<JoinedOp>> turns_;  // by device
  JoinTime join_time_;
};

}  // namespace placer

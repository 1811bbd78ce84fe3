#pragma once

#include <span>
#include <string>
#include <vector>

#include "placer/model/problem.hpp"
#include "search/groups/group_memory.hpp"

namespace placer {

/// What memory alone says of placements that fit: to which devices each group could go if nothing
/// else were there, and what it would hold throughout the step.
class MemoryFit {
 public:
  explicit MemoryFit(const Problem& problem);
  /// The same as if groups held `share` of what comes and goes throughout, beside what they keep,
  /// up to a whole memory: that proves nothing, but is what placements that fit are often like.
  MemoryFit with_passing(const Problem& problem, double share) const;

  /// One line that says why no placement fits; "" where that is not known.
  const std::string& infeasible() const { return infeasible_; }
  /// The devices where the group fits alone, in id order, at least one. Where nothing fits, those
  /// where it is allowed.
  std::span<const DeviceId> devices(GroupId group) const {
    const Range& range = ranges_[group.index()];
    return {devices_.data() + range.first, range.count};
  }
  bool may_go(GroupId group, DeviceId device) const {
    return may_go_[group.index() * device_count_ + device.index()] != 0;
  }
  /// As `group_memory_on`, but that for a step `kept_bytes` is what the group holds for certain at
  /// one instant, whichever is known to be fullest: the end of the step or while some op runs; and
  /// `at_least_bytes` what is there for certain while one of its own ops runs.
  const GroupMemory& memory(GroupId group, DeviceId device) const {
    return memory_[kind_[device.index()]][group.index()];
  }
  /// What `kept_bytes` is the sum of, in words.
  std::string what_is_held() const;
  /// As `memory_is_ample`.
  bool is_ample() const { return is_ample_; }
  /// Whether there is a device that may be unable to hold all the groups that could go there.
  bool may_bind() const { return may_bind_; }

 private:
  void hold_while_running(const Problem& problem);
  void hold_at_once(const Problem& problem);
  void choose_devices(const Problem& problem);
  void keep_passing(const Problem& problem, double share);
  void check_total(const Problem& problem);

  std::size_t device_count_;
  std::vector<std::size_t> kind_;                 // by device
  std::vector<std::vector<GroupMemory>> memory_;  // by kind and group
  std::vector<char> may_go_;                      // group * devices + device
  struct Range {
    std::size_t first, count;
  };
  std::vector<DeviceId> devices_;  // list after list; groups in a row may share one
  std::vector<Range> ranges_;      // of devices_, by group
  bool may_bind_ = false, is_ample_ = false;
  std::string infeasible_;
  std::string instant_;          // the op that runs then; empty at the end of the step
  std::int64_t open_bytes_ = 0;  // held then by one group or another
};

}  // namespace placer

#pragma once

#include <vector>

#include "placer/base/units.hpp"

namespace placer {

/// What a machine does for `work_ps`, not before `head_ps`, and what takes `tail_ps` afterwards.
struct MachineJob {
  Picoseconds head_ps, work_ps, tail_ps;
};

/// The least time in which a machine can do jobs, one at a time, where it may interrupt them: that
/// of Jackson's preemptive schedule, which goes on with the job that has the longest tail; no
/// schedule is better (Horn 1974, Carlier 1982). It is an object only to keep its buffer.
class OneMachine {
 public:
  void begin();
  /// The next job, in ascending order of heads.
  void add(const MachineJob& job);
  /// Of all jobs since `begin`.
  Picoseconds least_ps();

 private:
  /// Does what is open until then.
  void work_until(Picoseconds until_ps);

  struct Open {
    Picoseconds left_ps, tail_ps;
  };
  std::vector<Open> open_;  // a heap, the longest tail first
  Picoseconds now_ps_ = 0, least_ps_ = 0;
};

}  // namespace placer

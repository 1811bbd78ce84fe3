#include "search/joins/one_machine.hpp"

#include <algorithm>
#include <limits>

namespace placer {

void OneMachine::begin() {
  open_.clear();
  now_ps_ = least_ps_ = 0;
}

void OneMachine::work_until(Picoseconds until_ps) {
  while (!open_.empty() && now_ps_ < until_ps) {
    std::ranges::pop_heap(open_, {}, &Open::tail_ps);
    Open& job = open_.back();
    const Picoseconds done_ps = std::min(job.left_ps, until_ps - now_ps_);
    now_ps_ += done_ps;
    job.left_ps -= done_ps;
    if (job.left_ps > 0) {
      std::ranges::push_heap(open_, {}, &Open::tail_ps);
    } else {
      least_ps_ = std::max(least_ps_, now_ps_ + job.tail_ps);
      open_.pop_back();
    }
  }
}

void OneMachine::add(const MachineJob& job) {
  work_until(job.head_ps);
  now_ps_ = std::max(now_ps_, job.head_ps);
  open_.push_back({job.work_ps, job.tail_ps});
  std::ranges::push_heap(open_, {}, &Open::tail_ps);
}

Picoseconds OneMachine::least_ps() {
  work_until(std::numeric_limits<Picoseconds>::max());
  return least_ps_;
}

}  // namespace placer

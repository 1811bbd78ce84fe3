#include "search/joins/one_machine.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "placer/base/rng.hpp"

namespace placer::testing {
namespace {

Picoseconds least_ps(const std::vector<MachineJob>& jobs) {
  OneMachine machine;
  machine.begin();
  for (const MachineJob& job : jobs) machine.add(job);
  return machine.least_ps();
}

/// Over all sets of jobs: the least head, all work and the least tail.
Picoseconds largest_of_sets(const std::vector<MachineJob>& jobs) {
  Picoseconds largest_ps = 0;
  for (std::size_t set = 1; set < (std::size_t{1} << jobs.size()); ++set) {
    MachineJob sum = {1'000, 0, 1'000};
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      if ((set >> i & 1) == 0) continue;
      sum.head_ps = std::min(sum.head_ps, jobs[i].head_ps);
      sum.work_ps += jobs[i].work_ps;
      sum.tail_ps = std::min(sum.tail_ps, jobs[i].tail_ps);
    }
    largest_ps = std::max(largest_ps, sum.head_ps + sum.work_ps + sum.tail_ps);
  }
  return largest_ps;
}

TEST_CASE("a machine interrupts a job for one with a longer tail") {
  CHECK(least_ps({}) == 0);
  CHECK(least_ps({{2, 3, 4}}) == 9);
  CHECK(least_ps({{0, 4, 1}, {1, 2, 6}}) == 9);  // 1 of the first, the second, 3 of the first
}

TEST_CASE("what a machine takes is what the worst set of its jobs asks for") {
  Rng rng(5);
  for (int round = 0; round < 300; ++round) {
    std::vector<MachineJob> jobs(1 + rng.below(8));
    for (MachineJob& job : jobs) {
      job.head_ps = static_cast<Picoseconds>(rng.below(20));
      job.work_ps = static_cast<Picoseconds>(rng.below(6));
      job.tail_ps = static_cast<Picoseconds>(rng.below(20));
    }
    std::ranges::sort(jobs, {}, &MachineJob::head_ps);
    CHECK(least_ps(jobs) == largest_of_sets(jobs));
  }
}

}  // namespace
}  // namespace placer::testing

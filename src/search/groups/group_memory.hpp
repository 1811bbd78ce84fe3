#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "placer/model/problem.hpp"

namespace placer {

/// How many bytes of its device's memory a group holds. Parameters are there throughout; how much
/// of the rest is there at once depends on when its ops and their readers run, hence the other
/// figures, each of which includes the parameters.
struct GroupMemory {
  std::int64_t always_bytes = 0;    // the parameters alone
  std::int64_t kept_bytes = 0;      // and outputs to keep: together at the end of the step
  std::int64_t at_least_bytes = 0;  // the least peak of a device that holds the group: kept_bytes,
                                    // or parameters and all that one op makes, takes and needs for
                                    // a time, if that is more; under other objectives than latency
                                    // without what it takes
  std::int64_t made_bytes = 0;      // and all outputs
  std::int64_t at_most_bytes = 0;   // and all outputs and the largest temporary
  std::int64_t touched_bytes = 0;   // and every tensor that its ops make or take, each once, and
                                    // the largest temporary

  /// What is kept and a share of what comes and goes: in between, what a group may count as where
  /// it is not known how much of it there is at once.
  std::int64_t kept_and(double passing_share) const {
    const auto passing = static_cast<double>(at_most_bytes - kept_bytes);
    return kept_bytes + static_cast<std::int64_t>(passing_share * passing);
  }
};

/// By group, whatever its device: every op counts, even one that takes no time.
std::vector<GroupMemory> group_memory(const Problem& problem);
/// By group, as it counts on `device`: what is held for no time counts for nothing, so an op that
/// takes no time there holds nothing but its parameters. All zero for a group that may not go
/// there.
std::vector<GroupMemory> group_memory_on(const Problem& problem, DeviceId device);

/// Whether every device could hold everything at once.
bool memory_is_ample(const Problem& problem);

/// By group: one figure of `group_memory`, such as a member.
std::vector<std::int64_t> bytes_of_groups(
    const Problem& problem, const std::function<std::int64_t(const GroupMemory&)>& figure);

}  // namespace placer

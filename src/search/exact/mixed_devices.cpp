#include "search/exact/mixed_devices.hpp"

#include <algorithm>
#include <utility>

#include "search/exact/pipeline_dp.hpp"

namespace placer {
namespace {

/// The times of all ops on a device.
Picoseconds total_ps(const Problem& problem, DeviceId device) {
  Picoseconds sum_ps = 0;
  for (const OpId op : IdRange<OpId>(problem.op_count())) {
    sum_ps += problem.costs().op_ps(op, device);
  }
  return sum_ps;
}

/// Whether every group may go everywhere.
bool is_free(const Problem& problem) {
  for (const GroupId group : IdRange<GroupId>(problem.groups().size())) {
    if (problem.groups().allowed(group).size() < problem.device_count()) return false;
  }
  return true;
}

}  // namespace

std::vector<std::vector<DeviceId>> mixed_devices(const Problem& problem) {
  constexpr Picoseconds kSlower = 2;
  std::vector<std::vector<DeviceId>> kinds = stage_devices(problem);
  if (!is_free(problem)) return {};
  std::vector<Picoseconds> times;
  for (const auto& kind : kinds) times.push_back(total_ps(problem, kind.front()));
  const Picoseconds most_ps = kSlower * *std::ranges::min_element(times);
  std::vector<std::vector<DeviceId>> mixed(1);
  std::size_t joined = 0;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (times[i] > most_ps) {
      mixed.push_back(std::move(kinds[i]));
    } else {
      mixed.front().insert(mixed.front().end(), kinds[i].begin(), kinds[i].end());
      ++joined;
    }
  }
  if (joined < 2) return {};
  std::ranges::sort(mixed.front());
  return mixed;
}

std::vector<DeviceId> slowest_of_each(const Problem& problem,
                                      const std::vector<std::vector<DeviceId>>& devices) {
  std::vector<DeviceId> slowest;
  for (const auto& row : devices) {
    slowest.push_back(*std::ranges::min_element(row, {}, [&](DeviceId device) {
      return std::pair(-total_ps(problem, device), problem.topology().device(device).memory_bytes);
    }));
  }
  return slowest;
}

}  // namespace placer

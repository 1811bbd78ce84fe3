#include "search/bounds/call_costs.hpp"

#include <algorithm>

#include "search/bounds/least_copies.hpp"
#include "search/joins/join_time.hpp"

namespace placer {

CallCosts::CallCosts(const Problem& given, const MemoryFit& room)
    : problem(given), fit(room), memory(given), copy_ps(least_copies_ps(given)) {
  std::vector<DeviceId> hosts;
  std::vector<std::size_t> seen;
  for (const DeviceId device : IdRange<DeviceId>(problem.device_count())) {
    if (problem.topology().device(device).host) {
      hosts.push_back(device);
      continue;
    }
    ++calls;
    const std::size_t kind = problem.costs().kind(device);
    if (std::ranges::count(seen, kind) > 0) continue;
    seen.push_back(kind);
    kinds.push_back(device);
  }
  for (const OpId op : IdRange<OpId>(problem.op_count())) {
    const auto least = [&](const std::vector<DeviceId>& devices) {
      Picoseconds ps = kNeverPs;
      for (const DeviceId device : devices) {
        if (may_call(op, device)) ps = std::min(ps, problem.costs().op_ps(op, device));
      }
      return ps;
    };
    host_ps.push_back(least(hosts));
    call_ps.push_back(least(kinds));
  }
}

}  // namespace placer

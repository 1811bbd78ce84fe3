#include "placer/model/alike_devices.hpp"

#include <algorithm>

namespace placer {

bool devices_are_renamable(const Problem& problem) {
  const Contention contention = problem.topology().contention();
  const bool are_wires_renamable =
      contention == Contention::kLink || contention == Contention::kNone;
  return are_wires_renamable && problem.goal().stages.empty();
}

bool is_first_of_its_kind(const Problem& problem, std::span<const DeviceId> placed,
                          DeviceId device) {
  if (std::ranges::find(placed, device) != placed.end()) return true;
  const DeviceId kind = problem.first_identical(device);
  for (DeviceId other = kind; other < device; other = DeviceId(other.index() + 1)) {
    if (problem.first_identical(other) != kind) continue;
    if (std::ranges::find(placed, other) == placed.end()) return false;
  }
  return true;
}

}  // namespace placer

#include "search/tree/renamed_devices.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include "placer/model/alike_devices.hpp"

namespace placer {
namespace {

constexpr std::size_t kMostRenamings = 720;

/// The used devices, those of a kind in a row.
struct UsedDevices {
  std::vector<DeviceId> devices;
  std::vector<std::size_t> ends;  // of the kinds
};

UsedDevices used_devices(const Problem& problem, const Placement& placement) {
  UsedDevices used;
  for (const GroupId group : IdRange<GroupId>(problem.groups().size())) {
    used.devices.push_back(placement[group]);
  }
  std::ranges::sort(used.devices);
  used.devices.erase(std::unique(used.devices.begin(), used.devices.end()), used.devices.end());
  const auto kind = [&](DeviceId device) { return problem.first_identical(device); };
  std::ranges::stable_sort(used.devices, {}, kind);
  for (std::size_t at = 1; at <= used.devices.size(); ++at) {
    const bool ends =
        at == used.devices.size() || kind(used.devices[at]) != kind(used.devices[at - 1]);
    if (ends) used.ends.push_back(at);
  }
  return used;
}

/// Whether any two devices of a kind have only such between them, in id order. Then what one kind's
/// devices are called says nothing of where they stand among others'.
bool kinds_are_rows(const Problem& problem) {
  for (std::size_t device = 1; device < problem.device_count(); ++device) {
    const DeviceId kind = problem.first_identical(DeviceId(device));
    if (kind != DeviceId(device) && kind != problem.first_identical(DeviceId(device - 1)))
      return false;
  }
  return true;
}

std::size_t renamings(const UsedDevices& used) {
  std::size_t count = 1, begin = 0;
  for (const std::size_t end : used.ends) {
    for (std::size_t of_kind = 2; of_kind <= end - begin && count <= kMostRenamings; ++of_kind) {
      count *= of_kind;
    }
    begin = end;
  }
  return count;
}

/// The next way to name them; false after the last.
bool rename(const UsedDevices& used, std::vector<DeviceId>& names) {
  auto begin = names.begin();
  for (const std::size_t end : used.ends) {
    const auto last = names.begin() + static_cast<std::ptrdiff_t>(end);
    if (std::next_permutation(begin, last)) return true;
    begin = last;
  }
  return false;
}

}  // namespace

bool is_renamable(const Problem& problem, const Placement& placement) {
  if (devices_are_renamable(problem)) return true;
  for (const Tensor& tensor : problem.graph().tensors()) {
    if (tensor.bytes == 0) continue;
    const DeviceId from = placement[problem.groups().of(tensor.producer)];
    std::optional<DeviceId> first;
    for (const OpId consumer : tensor.consumers) {
      const DeviceId to = placement[problem.groups().of(consumer)];
      if (to == from || to == first) continue;
      if (first) return false;
      first = to;
    }
  }
  return true;
}

bool each_renamed(const Problem& problem, const Placement& placement,
                  const std::function<bool(const Placement&)>& see) {
  const UsedDevices used = used_devices(problem, placement);
  if (!kinds_are_rows(problem) || renamings(used) > kMostRenamings) return false;
  std::vector<DeviceId> names = used.devices;
  std::vector<DeviceId> name_of(problem.device_count());
  Placement renamed = placement;
  while (rename(used, names)) {
    for (std::size_t i = 0; i < names.size(); ++i) name_of[used.devices[i].index()] = names[i];
    for (const GroupId group : IdRange<GroupId>(problem.groups().size())) {
      renamed[group] = name_of[placement[group].index()];
    }
    if (!see(renamed)) return false;
  }
  return true;
}

}  // namespace placer

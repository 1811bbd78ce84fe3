#include "search/tree/renamed_devices.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include "placer/model/alike_devices.hpp"

namespace placer {
namespace {

constexpr std::size_t kMostRenamings = 5'040;  // of seven devices of a kind

/// Devices that can change places, those of a kind in a row.
struct AlikeDevices {
  std::vector<DeviceId> devices;
  std::vector<std::size_t> ends;  // of the kinds
};

/// Whether the devices of each kind follow each other in id order. Then the others of its kind
/// are to devices of other kinds as a device is, and those without groups need not be tried.
bool kinds_are_rows(const Problem& problem) {
  for (std::size_t device = 1; device < problem.device_count(); ++device) {
    const DeviceId kind = problem.first_identical(DeviceId(device));
    if (kind != DeviceId(device) && kind != problem.first_identical(DeviceId(device - 1))) {
      return false;
    }
  }
  return true;
}

AlikeDevices alike_devices(const Problem& problem, const Placement& placement) {
  AlikeDevices alike;
  if (kinds_are_rows(problem)) {
    alike.devices = placement.devices;
  } else {
    for (const DeviceId device : IdRange<DeviceId>(problem.device_count())) {
      alike.devices.push_back(device);
    }
  }
  std::ranges::sort(alike.devices);
  alike.devices.erase(std::unique(alike.devices.begin(), alike.devices.end()), alike.devices.end());
  const auto kind = [&](DeviceId device) { return problem.first_identical(device); };
  std::ranges::stable_sort(alike.devices, {}, kind);
  for (std::size_t at = 1; at <= alike.devices.size(); ++at) {
    const bool ends =
        at == alike.devices.size() || kind(alike.devices[at]) != kind(alike.devices[at - 1]);
    if (ends) alike.ends.push_back(at);
  }
  return alike;
}

std::size_t renamings(const AlikeDevices& alike) {
  std::size_t count = 1, begin = 0;
  for (const std::size_t end : alike.ends) {
    for (std::size_t of_kind = 2; of_kind <= end - begin && count <= kMostRenamings; ++of_kind) {
      count *= of_kind;
    }
    begin = end;
  }
  return count;
}

/// The next way to name them; false after the last.
bool rename(const AlikeDevices& alike, std::vector<DeviceId>& names) {
  auto begin = names.begin();
  for (const std::size_t end : alike.ends) {
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
  const AlikeDevices alike = alike_devices(problem, placement);
  if (renamings(alike) > kMostRenamings) return false;
  std::vector<DeviceId> names = alike.devices;
  std::vector<DeviceId> name_of(problem.device_count());
  Placement renamed = placement;
  while (rename(alike, names)) {
    for (std::size_t i = 0; i < names.size(); ++i) name_of[alike.devices[i].index()] = names[i];
    for (const GroupId group : IdRange<GroupId>(problem.groups().size())) {
      renamed[group] = name_of[placement[group].index()];
    }
    if (!see(renamed)) return false;
  }
  return true;
}

bool evaluate_renamed(Search& search, const Placement& placement, const OpOrder& order) {
  const Problem& problem = search.problem();
  return is_renamable(problem, placement) ||
         each_renamed(problem, placement, [&](const Placement& renamed) {
           return search.evaluate(renamed, order).has_value();
         });
}

}  // namespace placer

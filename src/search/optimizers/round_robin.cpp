// Over the devices of each type, so that a CPU beside GPUs need not get a full share.
#include <algorithm>

#include "placer/search/optimizer.hpp"
#include "search/core/plain_placements.hpp"
#include "search/groups/topological_groups.hpp"

namespace placer {
namespace {

Placement in_turn(const Problem& problem, const std::vector<DeviceId>& devices) {
  Placement placement = fastest_devices(problem);  // for groups that may go to none of `devices`
  std::size_t turn = 0;
  for (const GroupId group : topological_groups(problem)) {
    for (std::size_t tries = 0; tries < devices.size(); ++tries) {
      const DeviceId device = devices[turn++ % devices.size()];
      if (!problem.groups().is_allowed(group, device)) continue;
      placement[group] = device;
      break;
    }
  }
  return placement;
}

void run(Search& search) {
  const Problem& problem = search.problem();
  std::vector<std::string> types;
  std::vector<DeviceId> all;
  for (const DeviceId id : IdRange<DeviceId>(problem.device_count())) {
    all.push_back(id);
    const std::string& type = problem.topology().device(id).type;
    if (std::ranges::find(types, type) == types.end()) types.push_back(type);
  }
  if (!search.evaluate(in_turn(problem, all)) || types.size() < 2) return;
  for (const std::string& type : types) {
    std::vector<DeviceId> devices;
    std::ranges::copy_if(all, std::back_inserter(devices),
                         [&](DeviceId id) { return problem.topology().device(id).type == type; });
    if (!search.evaluate(in_turn(problem, devices))) return;
  }
}

}  // namespace

Optimizer round_robin() {
  return make_optimizer({.summary = "groups in topological order on the devices in turn, over all "
                                    "devices and over each type",
                         .unfit_for = "graphs whose tensors cost more to move than to compute",
                         .source = "",
                         .deterministic = true,
                         .anytime = true},
                        run);
}

}  // namespace placer

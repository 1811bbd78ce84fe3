#include "search/local/memory_repair.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "search/groups/group_memory.hpp"
#include "search/groups/neighbours.hpp"

namespace placer {
namespace {

constexpr int kMostRounds = 40;

class MemoryRepair {
 public:
  MemoryRepair(const Problem& problem, Placement placement)
      : problem_(problem),
        placement_(std::move(placement)),
        bytes_(bytes_of_groups(problem, &GroupMemory::at_most_bytes)),
        edges_(problem.groups().size()) {
    const Neighbours neighbours(problem);
    for (const Neighbours::Edge& edge : neighbours.edges()) {
      const double ps = edge.transfer_seconds * kPicosecondsPerSecond;
      edges_[edge.a.index()].push_back({edge.b, ps});
      edges_[edge.b.index()].push_back({edge.a, ps});
    }
  }

  const Placement& placement() const { return placement_; }

  /// False where nothing moves.
  bool relieve(const std::vector<std::int64_t>& peak_bytes) {
    rooms_.clear();
    for (const DeviceId device : IdRange<DeviceId>(problem_.device_count())) {
      const std::int64_t memory_bytes = problem_.topology().device(device).memory_bytes;
      rooms_.push_back(memory_bytes - peak_bytes[device.index()]);
    }
    bool moved = false;
    for (const DeviceId device : IdRange<DeviceId>(problem_.device_count())) {
      if (rooms_[device.index()] < 0) moved = relieve(device) || moved;
    }
    return moved;
  }

 private:
  struct Way {
    GroupId group;
    DeviceId to;
    double ps_per_byte = 0;
  };

  bool relieve(DeviceId device) {
    std::vector<Way> ways;
    for (const GroupId group : IdRange<GroupId>(placement_.devices.size())) {
      if (placement_[group] != device || bytes_[group.index()] == 0) continue;
      if (const std::optional<Way> way = cheapest(group)) ways.push_back(*way);
    }
    std::ranges::stable_sort(ways, {}, &Way::ps_per_byte);
    bool moved = false;
    for (const Way& way : ways) {
      const std::int64_t bytes = bytes_[way.group.index()];
      if (rooms_[device.index()] >= 0) break;
      if (rooms_[way.to.index()] < bytes) continue;
      rooms_[way.to.index()] -= bytes;
      rooms_[device.index()] += bytes;
      placement_[way.group] = way.to;
      moved = true;
    }
    return moved;
  }

  std::optional<Way> cheapest(GroupId group) const {
    const DeviceId from = placement_[group];
    std::optional<Way> best;
    for (const DeviceId to : problem_.groups().allowed(group)) {
      if (to == from || rooms_[to.index()] < bytes_[group.index()]) continue;
      const double lost_ps = cost_ps(group, to) - cost_ps(group, from);
      const Way way{group, to, lost_ps / static_cast<double>(bytes_[group.index()])};
      if (!best || way.ps_per_byte < best->ps_per_byte) best = way;
    }
    return best;
  }

  double cost_ps(GroupId group, DeviceId device) const {
    double cost_ps = static_cast<double>(problem_.group_ps(group, device));
    for (const auto& [other, transfer_ps] : edges_[group.index()]) {
      if (placement_[other] != device) cost_ps += transfer_ps;
    }
    return cost_ps;
  }

  const Problem& problem_;
  Placement placement_;
  std::vector<std::int64_t> bytes_;                             // by group
  std::vector<std::vector<std::pair<GroupId, double>>> edges_;  // by group; transfer in ps
  std::vector<std::int64_t> rooms_;                             // by device; below 0: too much
};

}  // namespace

std::optional<Candidate> repair_memory(Search& search, Placement placement) {
  MemoryRepair repair(search.problem(), std::move(placement));
  std::optional<Candidate> best;
  for (int round = 0; round < kMostRounds; ++round) {
    const std::optional<Schedule> schedule = search.schedule_of(repair.placement());
    if (!schedule) break;
    if (!best || schedule->score < best->score) best = {repair.placement(), {}, schedule->score};
    if (schedule->score.fits() || !repair.relieve(schedule->peak_bytes)) break;
  }
  return best;
}

}  // namespace placer

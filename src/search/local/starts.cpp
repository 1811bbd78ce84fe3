#include "search/local/starts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "search/core/plain_placements.hpp"
#include "search/groups/group_memory.hpp"
#include "search/groups/pipeline_units.hpp"
#include "search/groups/topological_groups.hpp"
#include "search/lists/greedy_placement.hpp"
#include "search/lists/rules.hpp"

namespace placer {
namespace {

/// Groups of a pipeline in their order, cut into stages of about equal work.
class EvenCuts {
 public:
  explicit EvenCuts(const Problem& problem)
      : problem_(problem),
        units_(pipeline_units(problem)),
        devices_(problem.goal().stages.empty() ? fastest_first(problem) : problem.goal().stages),
        bytes_(bytes_of_groups(problem, &GroupMemory::at_most_bytes)) {}

  /// The least time within which each device can do its stage, by bisection.
  std::optional<Placement> cut() const {
    Picoseconds most_ps = std::numeric_limits<Picoseconds>::max(), low_ps = 0;
    std::optional<Placement> best = within(most_ps);
    if (!best) return best;
    for (most_ps = longest_stage_ps(*best); low_ps < most_ps;) {
      const Picoseconds middle_ps = low_ps + (most_ps - low_ps) / 2;
      if (std::optional<Placement> found = within(middle_ps)) {
        best = std::move(found);
        most_ps = middle_ps;
      } else {
        low_ps = middle_ps + 1;
      }
    }
    return best;
  }

 private:
  /// Fills one device after the other; empty where the last is full before the last unit.
  std::optional<Placement> within(Picoseconds most_ps) const {
    Placement placement{std::vector<DeviceId>(problem_.groups().size())};
    auto device = devices_.begin();
    Picoseconds work_ps = 0;
    std::int64_t bytes = 0;
    for (const PipelineUnit& unit : units_) {
      while (!takes(unit, *device, most_ps - work_ps, bytes)) {
        if (++device == devices_.end()) return std::nullopt;
        work_ps = bytes = 0;
      }
      for (const GroupId group : unit.groups) {
        placement[group] = *device;
        work_ps += problem_.group_ps(group, *device);
        bytes += bytes_[group.index()];
      }
    }
    return placement;
  }

  bool takes(const PipelineUnit& unit, DeviceId device, Picoseconds left_ps,
             std::int64_t bytes) const {
    for (const GroupId group : unit.groups) {
      if (!problem_.groups().is_allowed(group, device)) return false;
      left_ps -= problem_.group_ps(group, device);
      bytes += bytes_[group.index()];
    }
    return left_ps >= 0 && bytes <= problem_.topology().device(device).memory_bytes;
  }

  Picoseconds longest_stage_ps(const Placement& placement) const {
    std::vector<Picoseconds> work_ps(problem_.device_count(), 0);
    for (const GroupId group : IdRange<GroupId>(placement.devices.size())) {
      work_ps[placement[group].index()] += problem_.group_ps(group, placement[group]);
    }
    return std::ranges::max(work_ps);
  }

  const Problem& problem_;
  const std::vector<PipelineUnit> units_;
  const std::vector<DeviceId> devices_;
  const std::vector<std::int64_t> bytes_;  // by group
};

/// Deals groups out by turns: whatever part of them in program order is looked at, each device has
/// about its share of it.
class Dealer {
 public:
  explicit Dealer(const Problem& problem)
      : problem_(problem), groups_(topological_groups(problem)), devices_(fastest_first(problem)) {
    for (const Device& device : problem.topology().devices()) {
      memories_.push_back(static_cast<double>(device.memory_bytes));
      all_bytes_ += memories_.back();
    }
  }

  /// The fastest devices are filled first, as if all groups held `used` of all memory at once. At 1
  /// each device has groups in proportion to its memory.
  Placement dealt(double used) const {
    constexpr double kGoldenRatio = 0.6180339887498949;  // its multiples are spread evenly
    const std::vector<double> shares = shares_of_groups(used);
    Placement placement{std::vector<DeviceId>(groups_.size())};
    double draw = 0;
    for (const GroupId group : groups_) {
      draw += kGoldenRatio;
      draw -= std::floor(draw);
      placement[group] = device_at(problem_.groups().allowed(group), shares, draw);
    }
    return placement;
  }

 private:
  std::vector<double> shares_of_groups(double used) const {
    std::vector<double> shares(devices_.size(), 0);
    double left = 1;
    for (const DeviceId device : devices_) {
      double& share = shares[device.index()];
      share = std::min(left, memories_[device.index()] / (used * all_bytes_));
      left -= share;
    }
    return shares;
  }

  const Problem& problem_;
  const std::vector<GroupId> groups_;
  const std::vector<DeviceId> devices_;
  std::vector<double> memories_;  // by device, in bytes
  double all_bytes_ = 0;
};

}  // namespace

void try_dealt_groups(Search& search, int trials) {
  if (search.problem().goal().contiguity != Contiguity::kNone) return;
  const Dealer dealer(search.problem());
  const auto fits = [&](double used) {
    const auto score = search.evaluate(dealer.dealt(used));
    return score && score->fits();
  };
  double least = 0, most = 1;
  if (!fits(most)) return;
  for (; trials > 0 && !search.spent(); --trials) {
    const double middle = (least + most) / 2;
    (fits(middle) ? most : least) = middle;
  }
}

void try_even_pipeline(Search& search) {
  if (search.problem().goal().contiguity == Contiguity::kNone) return;
  if (const auto pipeline = EvenCuts(search.problem()).cut()) search.evaluate(*pipeline);
}

void try_plain_starts(Search& search) {
  try_single_devices(search);
  try_even_pipeline(search);
  const ListSchedule schedule = heft_schedule(search.problem(), {});
  search.evaluate(schedule.placement(), schedule.order());
}

Placement list_scheduled_placement(const Problem& problem) {
  return heft_schedule(problem, {}).placement();
}

std::optional<Start> local_search_start(Search& search) {
  if (search.start() != nullptr) return Start{*search.start(), search.start_order()};
  for (const bool contention : {false, true}) {
    const ListSchedule schedule = heft_schedule(search.problem(), {.contention = contention});
    if (!search.evaluate(schedule.placement(), schedule.order())) return std::nullopt;
  }
  if (!try_single_devices(search)) return std::nullopt;
  try_even_pipeline(search);
  if (search.spent()) return std::nullopt;
  return Start{search.own_best()->placement, search.own_best()->order};
}

}  // namespace placer

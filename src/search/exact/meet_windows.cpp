#include "search/exact/meet_windows.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "placer/base/real.hpp"
#include "placer/sim/simulator.hpp"
#include "search/exact/late_schedule.hpp"
#include "search/groups/memory_fit.hpp"

namespace placer {
namespace {

// Temperatures in units of the mean time of an op: from the first to the second in each cycle.
constexpr double kHot = 0.8, kCold = 0.05;
constexpr double kCycle = 30;        // changes for each op
constexpr std::size_t kReach = 100;  // positions in the order that an op moves at once
constexpr double kAnyOp = 0.1;
constexpr double kElsewhere = 0.5;  // to any device, its own included
constexpr int kChanges = 32;        // worked out for each evaluation
constexpr double kMostWork = 2e6;   // edges times squared devices: beyond, windows take long
constexpr int kSortEvery = 50;      // changes after which the order follows the starts

class Meeting {
 public:
  Meeting(Search& search, const MemoryFit& fit, const StepWindows& windows)
      : search_(search),
        problem_(search.problem()),
        windows_(windows),
        fit_(fit),
        schedule_(problem_, windows),
        kept_bytes_(problem_.device_count(), 0) {}

  void run() {
    const std::optional<Schedule> best = search_.schedule_of(*search_.best(), search_.best_order());
    if (!best) return;
    start(*search_.best(), order_by_start(problem_, *best));
    while (search_.evaluate(schedule_.placement(), schedule_.order())) {
      if (schedule_.lateness_ps() == 0) return;
      cool();
      for (int i = 0; i < kChanges && schedule_.lateness_ps() > 0; ++i) try_change();
    }
  }

 private:
  /// With each group where it has to be.
  void start(Placement placement, OpOrder order) {
    for (const GroupId group : IdRange<GroupId>(problem_.groups().size())) {
      if (!may_go(group, placement[group])) placement[group] = devices(group).front();
      kept_bytes_[placement[group].index()] += fit_.memory(group, placement[group]).kept_bytes;
    }
    double work_ps = 0;
    for (const OpId op : IdRange<OpId>(problem_.op_count())) {
      work_ps +=
          static_cast<double>(problem_.costs().op_ps(op, placement[problem_.groups().of(op)]));
    }
    scale_ps_ = work_ps / static_cast<double>(problem_.op_count());
    schedule_.read(std::move(placement), std::move(order));
  }

  void cool() {
    const double at =
        static_cast<double>(tried_) / (kCycle * static_cast<double>(problem_.op_count()));
    temperature_ps_ =
        scale_ps_ * kHot * portable_exp((at - std::floor(at)) * portable_log(kCold / kHot));
  }

  bool may_go(GroupId group, DeviceId device) const {
    return windows_.may_be(problem_.groups().ops(group).front(), device, problem_.device_count());
  }

  std::vector<DeviceId> devices(GroupId group) const {
    std::vector<DeviceId> found;
    for (const DeviceId device : IdRange<DeviceId>(problem_.device_count())) {
      if (may_go(group, device)) found.push_back(device);
    }
    return found;
  }

  void try_change() {
    ++tried_;
    Rng& rng = search_.rng();
    const OpId op =
        rng.chance(kAnyOp) ? OpId(rng.below(problem_.op_count())) : schedule_.draw_cause(rng);
    const GroupId group = problem_.groups().of(op);
    const DeviceId from = schedule_.placement()[group];
    const std::size_t at = schedule_.position(op);
    const std::size_t lowest = at - std::min(at, kReach);
    const std::size_t highest = std::min(at + kReach, problem_.op_count() - 1);
    LateSchedule::Change change{op, from, lowest + rng.below(highest - lowest + 1)};
    if (rng.chance(kElsewhere)) change.device = DeviceId(rng.below(problem_.device_count()));
    if (change.device != from && !has_room(group, change.device)) return;
    const double limit_ps = static_cast<double>(schedule_.lateness_ps()) -
                            temperature_ps_ * portable_log(1 - rng.uniform());
    if (static_cast<double>(schedule_.change(change)) > limit_ps) {
      schedule_.take_back();
      return;
    }
    schedule_.keep();
    kept_bytes_[from.index()] -= fit_.memory(group, from).kept_bytes;
    kept_bytes_[change.device.index()] += fit_.memory(group, change.device).kept_bytes;
    if (++changes_ % kSortEvery == 0) schedule_.sort();
  }

  bool has_room(GroupId group, DeviceId device) const {
    return may_go(group, device) &&
           kept_bytes_[device.index()] + fit_.memory(group, device).kept_bytes <=
               problem_.topology().device(device).memory_bytes;
  }

  Search& search_;
  const Problem& problem_;
  const StepWindows& windows_;
  const MemoryFit& fit_;
  LateSchedule schedule_;
  std::vector<std::int64_t> kept_bytes_;  // by device
  double scale_ps_ = 0, temperature_ps_ = 0;
  std::int64_t tried_ = 0, changes_ = 0;
};

}  // namespace

std::optional<StepWindows> windows_to_meet(const Search& search, const MemoryFit& fit,
                                           Picoseconds step_ps) {
  const Problem& problem = search.problem();
  const auto devices = static_cast<double>(problem.device_count());
  const double work = static_cast<double>(problem.graph().edge_count()) * devices * devices;
  // A LateSchedule stores the lanes of all channels.
  if (work > kMostWork || problem.topology().channel_count() > Occupancy::kMostDense) {
    search.observer().tell(EventLevel::kInfo, "windows", [] {
      return "the bound is not aimed at: the graph is too large for windows of its ops";
    });
    return std::nullopt;
  }
  StepWindows windows = windows_within(problem, fit, step_ps, [&] { return search.spent(); });
  if (!windows.possible || windows.fixed_ops == 0) return std::nullopt;
  return windows;
}

void meet_windows(Search& search, const MemoryFit& fit, const StepWindows& windows) {
  const auto several = [](const Device& device) { return device.slots > 1; };
  if (!search.searches_orders() || search.best() == nullptr || !windows.possible ||
      std::ranges::any_of(search.problem().topology().devices(), several)) {
    return;
  }
  Meeting(search, fit, windows).run();
}

}  // namespace placer

#include <algorithm>
#include <array>

#include "search/exact/branch_and_bound.hpp"
#include "search/exact/schedule_beam.hpp"
#include "search/lists/occupancy.hpp"
#include "search/tree/renamed_devices.hpp"

namespace placer {
namespace {

constexpr std::array<std::size_t, 7> kWidths = {1, 8, 64, 512, 4096, 32768, 262144};
constexpr std::int64_t kOrderNodesPerEvaluation = 10;  // they take about as long
constexpr std::size_t kMostLossySchedules =
    8;  // scored for one answer, where its times may be wrong

class OrderSearch {
 public:
  using Ticks = ScheduleModel::Ticks;

  OrderSearch(Search& search, const MemoryFit& fit, NodeBudget& nodes, Picoseconds lower_ps)
      : search_(search),
        problem_(search.problem()),
        model_(problem_, fit),
        rules_(rules(problem_, fit, model_)),
        beam_(model_, rules_),
        nodes_(nodes),
        nodes_left_(nodes.left(kOrderNodesPerEvaluation)),
        lower_((lower_ps + model_.tick_ps() - 1) / model_.tick_ps()) {}

  bool run() {
    if (!rules_.dominance) {  // first without a chance of a proof
      lossy_ = true;
      const std::int64_t reserve = nodes_left_ / 2;
      nodes_left_ -= reserve;
      widen();
      lossy_ = false;
      nodes_left_ = std::max<std::int64_t>(nodes_left_, 0) + reserve;
    }
    widen();
    return is_closed() && search_.best_score().fits();
  }

 private:
  void widen() {
    for (const std::size_t width : kWidths) {
      while (nodes_now() > 0 && !search_.spent() && !is_closed()) {
        if (!raise_lower(width) && !lower_upper(width)) break;
      }
    }
  }

  /// As evaluations take their share of the budget, too.
  std::int64_t nodes_now() const {
    return std::min(nodes_left_, nodes_.left(kOrderNodesPerEvaluation));
  }

  static ScheduleBeam::Rules rules(const Problem& problem, const MemoryFit& fit,
                                   const ScheduleModel& model) {
    ScheduleBeam::Rules rules;
    const bool transfers_wait = problem.topology().channel_count() > 0;
    rules.dominance = fit.is_ample() && (!transfers_wait || !model.machines_are_devices());
    if (fit.is_ample()) return rules;
    for (const GroupId group : IdRange<GroupId>(problem.groups().size())) {
      for (const DeviceId device : IdRange<DeviceId>(problem.device_count())) {
        rules.kept_bytes.push_back(fit.memory(group, device).kept_bytes);
      }
    }
    for (const Device& device : problem.topology().devices()) {
      rules.room_bytes.push_back(device.memory_bytes);
    }
    return rules;
  }

  /// The best that fits; without one, more than any schedule.
  Ticks upper() const {
    const Score best = search_.best_score();
    return best.fits() ? best.step_ps / model_.tick_ps() : ScheduleBeam::kEndless;
  }
  bool is_closed() const { return upper() <= lower_; }

  /// Looks just above the lower bound, further each time that nothing is there; false where that
  /// changes nothing.
  bool raise_lower(std::size_t width) {
    const Ticks before = upper();
    if (before == ScheduleBeam::kEndless) return false;
    const Ticks longest = std::min(lower_ + step_, before) - 1;
    const bool all = try_within(longest, width);
    if (all && upper() > longest) {
      lower_ = longest + 1;
      step_ = std::min(2 * step_, before);
      return true;
    }
    step_ = 1;
    return upper() < before;
  }

  bool lower_upper(std::size_t width) {
    const Ticks before = upper();
    const bool all = try_within(before - 1, width);
    if (all && upper() == before) lower_ = before;
    return is_closed() || upper() < before;
  }

  /// Scores what is found; true where nothing else can be within `longest`.
  bool try_within(Ticks longest, std::size_t width) {
    const ScheduleBeam::Found found = beam_.find({.longest = longest,
                                                  .width = width,
                                                  .schedules = schedules_to_score(width),
                                                  .nodes = nodes_now(),
                                                  .lossy = lossy_,
                                                  .stop = [this] { return search_.spent(); }});
    const std::int64_t looked_at = std::max<std::int64_t>(1, found.nodes);
    nodes_left_ -= looked_at;
    nodes_.take(looked_at, kOrderNodesPerEvaluation);
    for (const std::vector<ModelRun>& runs : found.schedules) {
      if (!score(runs)) return false;
    }
    return found.complete;
  }

  std::size_t schedules_to_score(std::size_t width) const {
    if (rules_.dominance) return 1;
    return lossy_ ? kMostLossySchedules : width;
  }

  bool score(const std::vector<ModelRun>& runs) {
    const std::vector<DeviceId> devices = devices_of(runs);
    Placement placement{std::vector<DeviceId>(problem_.groups().size())};
    OpOrder order;
    for (std::size_t k = 0; k < runs.size(); ++k) {
      const OpId op(runs[k].op);
      placement[problem_.groups().of(op)] = devices[k];
      order.push_back(op);
    }
    if (!search_.evaluate(placement, order)) return false;
    return lossy_ || evaluate_renamed(search_, placement, order);
  }

  /// Where one machine stands for all devices, ops go to the device that is free first.
  std::vector<DeviceId> devices_of(const std::vector<ModelRun>& runs) const {
    std::vector<DeviceId> devices;
    if (model_.machines_are_devices()) {
      for (const ModelRun& run : runs) devices.emplace_back(run.machine);
      return devices;
    }
    std::vector<std::pair<Ticks, DeviceId>> free_at;  // of each slot, sorted; the devices are alike
    for (std::size_t slot = 0; slot < model_.slots(0); ++slot) {
      free_at.emplace_back(0, DeviceId(slot * problem_.device_count() / model_.slots(0)));
    }
    for (const ModelRun& run : runs) {
      const DeviceId first = free_at.front().second;
      devices.push_back(first);
      take_first_slot(std::span(free_at), {run.start + model_.work(run.op, run.machine), first});
    }
    return devices;
  }

  Search& search_;
  const Problem& problem_;
  const ScheduleModel model_;
  const ScheduleBeam::Rules rules_;
  ScheduleBeam beam_;
  NodeBudget& nodes_;
  std::int64_t nodes_left_;
  Ticks lower_, step_ = 1;
  bool lossy_ = false;
};

}  // namespace

ExactEnd branch_and_bound_orders(Search& search, NodeBudget& nodes, Picoseconds lower_ps) {
  const MemoryFit fit(search.problem());
  if (!fit.infeasible().empty()) return ExactEnd::kNothingFits;
  if (!ScheduleModel::is_small(search.problem())) return ExactEnd::kCutShort;
  const bool proven = OrderSearch(search, fit, nodes, lower_ps).run();
  return proven ? ExactEnd::kProven : ExactEnd::kCutShort;
}

}  // namespace placer

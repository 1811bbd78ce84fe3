// Heterogeneous earliest finish time: ops by upward rank, each to the device where it finishes
// first, in idle stretches too. Unfit for transfers that wait for each other and for activation
// memory, which it does not see. Topcuoglu, Hariri, Wu, "Performance-Effective and Low-Complexity
// Task Scheduling for Heterogeneous Computing", IEEE TPDS 13(3), 2002.
//
// The paper has no groups: here the first op of a group takes all of it along. The variants make up
// for that. Measured under fifo on 74 graph and device pairs (ResNet-50, Inception-v3, GNMT,
// VGG-16, BERT; 2 to 8 devices) as geometric means of the step time over HEFT's: with `transfers`
// 0.98, with `promises` too 1.15 but 0.8 where pipelines form, the best of all three 0.96.

#include <algorithm>

#include "placer/search/optimizer.hpp"
#include "search/list_schedule.hpp"
#include "search/list_scheduler_options.hpp"

namespace placer {
namespace {

struct Options {
  bool insertion = true;
  bool memory = true;
  bool variants = true;
};

constexpr std::array<OptionRow<Options>, 3> kRows = {
    insertion_row(&Options::insertion),
    memory_row(&Options::memory),
    option<Options>("variants", &Options::variants,
                    "score two more schedules that look at a group's other ops and transfers"),
};
static_assert(kRows.size() == member_count<Options>);

/// HEFT with an eye to the whole group: the device of least sum, in ps, of the first op's finish,
/// the time of the group's other ops, half of the transfers from and to placed groups and, with
/// `promises`, the time of the ops to come whose groups are on the device already.
class GroupWise {
 public:
  GroupWise(const Problem& problem, ListSchedule::Rules rules, bool promises)
      : problem_(problem),
        schedule_(problem, rules),
        promises_(promises),
        promised_ps_(problem.device_count(), 0),
        device_of_(problem.groups().size()) {}

  ListSchedule run(const std::vector<OpId>& order) && {
    for (const OpId op : order) {
      const GroupId group = problem_.groups().of(op);
      if (!schedule_.is_fixed(group)) choose(op, group);
      const ListSchedule::Spot spot = schedule_.earliest(op);
      promised_ps_[spot.device.index()] -= spot.end_ps - spot.start_ps;
      schedule_.place(op, spot);
    }
    return std::move(schedule_);
  }

 private:
  void choose(OpId op, GroupId group) {
    std::optional<DeviceId> best;
    double least = 0;
    for (const DeviceId device : schedule_.candidates(group)) {
      const double found = cost(op, group, device);
      if (best && least <= found) continue;
      best = device;
      least = found;
    }
    schedule_.fix(group, *best);
    device_of_[group.index()] = *best;
    promised_ps_[best->index()] += problem_.group_ps(group, *best);
  }

  double cost(OpId op, GroupId group, DeviceId device) const {
    constexpr double kTransferShare = 0.5;
    const auto slots = static_cast<double>(problem_.topology().device(device).slots);
    Picoseconds work_ps = problem_.group_ps(group, device) - problem_.costs().op_ps(op, device);
    if (promises_) work_ps += promised_ps_[device.index()];
    return static_cast<double>(schedule_.earliest(op, device).end_ps) +
           static_cast<double>(work_ps) / slots + kTransferShare * transfers_ps(group, device);
  }

  /// One for each tensor and op at its other end.
  double transfers_ps(GroupId group, DeviceId device) const {
    const Graph& graph = problem_.graph();
    double sum_ps = 0;
    for (const OpId op : problem_.groups().ops(group)) {
      for (const TensorId tensor : graph.inputs(op)) {
        if (const auto from = device_of(graph.tensor(tensor).producer)) {
          sum_ps += static_cast<double>(problem_.costs().transfer_ps(tensor, *from, device));
        }
      }
      for (const TensorId tensor : graph.outputs(op)) {
        for (const OpId consumer : graph.tensor(tensor).consumers) {
          const auto to = device_of(consumer);
          if (!to) continue;
          sum_ps += static_cast<double>(problem_.costs().transfer_ps(tensor, device, *to));
        }
      }
    }
    return sum_ps;
  }

  /// Empty for groups without a device yet, such as the one to be placed.
  std::optional<DeviceId> device_of(OpId op) const {
    return device_of_[problem_.groups().of(op).index()];
  }

  const Problem& problem_;
  ListSchedule schedule_;
  bool promises_;
  std::vector<Picoseconds> promised_ps_;            // by device
  std::vector<std::optional<DeviceId>> device_of_;  // by group
};

void run(const Options& options, Search& search) {
  const Problem& problem = search.problem();
  const ListSchedule::Rules rules{.insertion = options.insertion, .memory = options.memory};
  const ListSchedule schedule = heft_schedule(problem, rules);
  search.claim_schedule(schedule.makespan_ps());
  search.evaluate(schedule.placement(), schedule.order());
  if (!options.variants) return;
  const std::vector<OpId> order =
      by_upward_rank(problem, mean_upward_ranks(problem, mean_costs(problem)));
  for (const bool promises : {false, true}) {
    if (search.spent()) return;
    const ListSchedule variant = GroupWise(problem, rules, promises).run(order);
    search.evaluate(variant.placement(), variant.order());
  }
}

}  // namespace

Optimizer heft() {
  return make_optimizer(
      list_scheduler_info("ops by upward rank, each to the device where it finishes first"), kRows,
      run);
}

}  // namespace placer

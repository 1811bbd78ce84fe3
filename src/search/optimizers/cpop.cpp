// Critical path on a processor: the longest path through mean costs goes to the one device that
// runs it fastest; all other ops, by longest path through them, to the device where they finish
// first. Unfit for transfers that wait for each other, for groups whose ops lie far apart and for
// activation memory, none of which it sees. Topcuoglu, Hariri, Wu, "Performance-Effective and
// Low-Complexity Task Scheduling for Heterogeneous Computing", IEEE TPDS 13(3), 2002.

#include <algorithm>
#include <queue>

#include "placer/search/optimizer.hpp"
#include "search/list_schedule.hpp"
#include "search/list_scheduler_options.hpp"

namespace placer {
namespace {

struct Options {
  bool insertion = true;
  bool memory = true;
};

constexpr std::array<OptionRow<Options>, 2> kRows = {
    insertion_row(&Options::insertion),
    memory_row(&Options::memory),
};
static_assert(kRows.size() == member_count<Options>);

struct Ranks {
  MeanCosts costs;
  std::vector<double> upward;
  std::vector<double> through;  // longest path through the op
};

Ranks rank_ops(const Problem& problem) {
  Ranks ranks;
  ranks.costs = mean_costs(problem);
  ranks.upward = mean_upward_ranks(problem, ranks.costs);
  ranks.through = mean_downward_ranks(problem, ranks.costs);
  for (std::size_t i = 0; i < ranks.through.size(); ++i) ranks.through[i] += ranks.upward[i];
  return ranks;
}

/// From the first op of largest rank on, always the consumer that the rank is due to.
std::vector<OpId> critical_path(const Problem& problem, const Ranks& ranks) {
  const Graph& graph = problem.graph();
  const auto rank = [&](OpId op) { return ranks.upward[op.index()]; };
  std::optional<OpId> next = *std::ranges::max_element(graph.program_order(), {}, rank);
  std::vector<OpId> path;
  while (next) {
    path.push_back(*next);
    next.reset();
    double longest_ps = -1;
    for (const TensorId tensor : graph.outputs(path.back())) {
      for (const OpId consumer : graph.tensor(tensor).consumers) {
        const double length_ps = ranks.costs.tensor_ps[tensor.index()] + rank(consumer);
        if (length_ps <= longest_ps) continue;
        longest_ps = length_ps;
        next = consumer;
      }
    }
  }
  return path;
}

/// Where most of the path may go and, of these devices, where that takes least time.
DeviceId path_device(const Problem& problem, const std::vector<OpId>& path) {
  using Cost = std::pair<std::size_t, Picoseconds>;
  const auto cost = [&](DeviceId device) {
    Cost sum{0, 0};
    for (const OpId op : path) {
      const bool allowed = problem.groups().is_allowed(problem.groups().of(op), device);
      if (allowed) sum.second += problem.costs().op_ps(op, device);
      if (!allowed) ++sum.first;
    }
    return sum;
  };
  DeviceId best(0);
  Cost least = cost(best);
  for (const DeviceId device : IdRange<DeviceId>(problem.device_count())) {
    const Cost found = cost(device);
    if (found < least) {
      least = found;
      best = device;
    }
  }
  return best;
}

void fix_path(const Problem& problem, const Ranks& ranks, ListSchedule& schedule) {
  const std::vector<OpId> path = critical_path(problem, ranks);
  const DeviceId device = path_device(problem, path);
  for (const OpId op : path) {
    const GroupId group = problem.groups().of(op);
    if (problem.groups().is_allowed(group, device) && schedule.has_room(group, device)) {
      schedule.fix(group, device);
    }
  }
}

/// Ready ops by longest path through them, then program order.
void place_ready_ops(const Problem& problem, const Ranks& ranks, ListSchedule& schedule) {
  const Graph& graph = problem.graph();
  std::vector<std::size_t> missing(problem.op_count());
  using Entry = std::pair<double, std::size_t>;  // rank and position
  const auto later = [](const Entry& a, const Entry& b) {
    return a.first < b.first || (a.first == b.first && a.second > b.second);
  };
  std::priority_queue<Entry, std::vector<Entry>, decltype(later)> ready(later);
  const auto make_ready = [&](OpId op) {
    ready.emplace(ranks.through[op.index()], graph.program_position(op));
  };
  for (const OpId op : IdRange<OpId>(problem.op_count())) {
    missing[op.index()] = graph.inputs(op).size();
    if (missing[op.index()] == 0) make_ready(op);
  }
  while (!ready.empty()) {
    const OpId op = graph.program_order()[ready.top().second];
    ready.pop();
    schedule.place(op, schedule.earliest(op));
    for (const TensorId tensor : graph.outputs(op)) {
      for (const OpId consumer : graph.tensor(tensor).consumers) {
        if (--missing[consumer.index()] == 0) make_ready(consumer);
      }
    }
  }
}

void run(const Options& options, Search& search) {
  const Problem& problem = search.problem();
  const Ranks ranks = rank_ops(problem);
  ListSchedule schedule(problem, {.insertion = options.insertion, .memory = options.memory});
  fix_path(problem, ranks, schedule);
  place_ready_ops(problem, ranks, schedule);
  search.claim_schedule(schedule.makespan_ps());
  search.evaluate(schedule.placement(), schedule.order());
}

}  // namespace

Optimizer cpop() {
  return make_optimizer(
      list_scheduler_info("critical path on one device, every other op where it finishes first"),
      kRows, run);
}

}  // namespace placer

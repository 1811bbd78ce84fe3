#include "search/lists/ranks.hpp"

#include <algorithm>
#include <limits>
#include <optional>

namespace placer {

std::vector<double> mean_upward_ranks(const Problem& problem, const MeanCosts& costs) {
  const Graph& graph = problem.graph();
  std::vector<double> ranks(problem.op_count(), 0);
  for (auto op = graph.program_order().rbegin(); op != graph.program_order().rend(); ++op) {
    double longest_ps = 0;
    for (const TensorId tensor : graph.outputs(*op)) {
      for (const OpId consumer : graph.tensor(tensor).consumers) {
        longest_ps =
            std::max(longest_ps, costs.tensor_ps[tensor.index()] + ranks[consumer.index()]);
      }
    }
    ranks[op->index()] = costs.op_ps[op->index()] + longest_ps;
  }
  return ranks;
}

std::vector<double> mean_downward_ranks(const Problem& problem, const MeanCosts& costs) {
  const Graph& graph = problem.graph();
  std::vector<double> ranks(problem.op_count(), 0);
  for (const OpId op : graph.program_order()) {
    for (const TensorId tensor : graph.inputs(op)) {
      const std::size_t producer = graph.tensor(tensor).producer.index();
      ranks[op.index()] = std::max(ranks[op.index()], ranks[producer] + costs.op_ps[producer] +
                                                          costs.tensor_ps[tensor.index()]);
    }
  }
  return ranks;
}

std::vector<OpId> by_upward_rank(const Problem& problem, const std::vector<double>& ranks) {
  std::vector<OpId> order = problem.graph().program_order();
  std::ranges::stable_sort(order,
                           [&](OpId a, OpId b) { return ranks[a.index()] > ranks[b.index()]; });
  return order;
}

std::vector<double> median_op_ps(const Problem& problem) {
  std::vector<double> medians;
  medians.reserve(problem.op_count());
  std::vector<Picoseconds> times_ps;
  for (const OpId op : IdRange<OpId>(problem.op_count())) {
    times_ps.clear();
    for (const DeviceId device : problem.groups().allowed(problem.groups().of(op))) {
      times_ps.push_back(problem.costs().op_ps(op, device));
    }
    std::ranges::sort(times_ps);
    const std::size_t half = times_ps.size() / 2;
    const Picoseconds lower_ps = times_ps[times_ps.size() % 2 == 1 ? half : half - 1];
    medians.push_back((static_cast<double>(lower_ps) + static_cast<double>(times_ps[half])) / 2);
  }
  return medians;
}

std::vector<double> static_levels(const Problem& problem, const std::vector<double>& median_ps) {
  return mean_upward_ranks(problem,
                           {median_ps, std::vector<double>(problem.graph().tensors().size(), 0)});
}

std::vector<double> optimistic_costs(const Problem& problem, const MeanCosts& costs) {
  const Graph& graph = problem.graph();
  const std::size_t devices = problem.device_count();
  constexpr double barred = std::numeric_limits<double>::infinity();
  std::vector<double> table(problem.op_count() * devices, 0);
  std::vector<double> with_op(problem.op_count() * devices, barred);  // and the op's own time
  std::vector<double> least(problem.op_count(), barred);              // of `with_op`
  for (auto op = graph.program_order().rbegin(); op != graph.program_order().rend(); ++op) {
    double* const row = &table[op->index() * devices];
    for (const TensorId tensor : graph.outputs(*op)) {
      for (const OpId consumer : graph.tensor(tensor).consumers) {
        const double elsewhere = least[consumer.index()] + costs.tensor_ps[tensor.index()];
        const double* const here = &with_op[consumer.index() * devices];
        for (std::size_t d = 0; d < devices; ++d) {
          row[d] = std::max(row[d], std::min(here[d], elsewhere));
        }
      }
    }
    for (const DeviceId device : problem.groups().allowed(problem.groups().of(*op))) {
      double& sum = with_op[op->index() * devices + device.index()];
      sum = row[device.index()] + static_cast<double>(problem.costs().op_ps(*op, device));
      least[op->index()] = std::min(least[op->index()], sum);
    }
  }
  return table;
}

std::vector<double> mean_optimistic_costs(const Problem& problem,
                                          const std::vector<double>& table) {
  std::vector<double> means;
  means.reserve(problem.op_count());
  for (const OpId op : IdRange<OpId>(problem.op_count())) {
    const auto allowed = problem.groups().allowed(problem.groups().of(op));
    double sum = 0;
    for (const DeviceId device : allowed) {
      sum += table[op.index() * problem.device_count() + device.index()];
    }
    means.push_back(sum / static_cast<double>(allowed.size()));
  }
  return means;
}

std::vector<OpId> critical_path(const Problem& problem, const MeanCosts& costs,
                                const std::vector<double>& upward_ranks) {
  const Graph& graph = problem.graph();
  const auto rank = [&](OpId op) { return upward_ranks[op.index()]; };
  std::optional<OpId> next = *std::ranges::max_element(graph.program_order(), {}, rank);
  std::vector<OpId> path;
  while (next) {
    path.push_back(*next);
    next.reset();
    double longest_ps = -1;
    for (const TensorId tensor : graph.outputs(path.back())) {
      for (const OpId consumer : graph.tensor(tensor).consumers) {
        const double length_ps = costs.tensor_ps[tensor.index()] + rank(consumer);
        if (length_ps <= longest_ps) continue;
        longest_ps = length_ps;
        next = consumer;
      }
    }
  }
  return path;
}

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

}  // namespace placer

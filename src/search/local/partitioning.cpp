#include "search/local/partitioning.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "search/groups/group_memory.hpp"
#include "search/groups/neighbours.hpp"
#include "search/groups/topological_groups.hpp"
#include "search/lists/greedy_placement.hpp"

namespace placer {
namespace {

constexpr double kWeightInAll = 1e7;  // so that sums stay within 32 bits

std::vector<std::int32_t> whole_weights(const std::vector<double>& weights, Watch& watch) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<std::int32_t> whole;
  for (const double weight : weights) {
    watch.check();
    const double share = sum > 0 ? weight / sum : 0;
    whole.push_back(1 + static_cast<std::int32_t>(std::llround(share * kWeightInAll)));
  }
  return whole;
}

double mean_ps(const Problem& problem, GroupId group) {
  const auto allowed = problem.groups().allowed(group);
  double sum_ps = 0;
  for (const DeviceId device : allowed) {
    sum_ps += static_cast<double>(problem.group_ps(group, device));
  }
  return sum_ps / static_cast<double>(allowed.size());
}

/// A square table.
struct Table {
  std::size_t size;
  std::vector<double> values = std::vector<double>(size * size, 0);
  double& at(std::size_t row, std::size_t column) { return values[row * size + column]; }
  double at(std::size_t row, std::size_t column) const { return values[row * size + column]; }
};

/// By pair of parts: the time of all tensors over the links between their devices, there and back;
/// as slow as the slowest where a link is missing.
Table link_costs(const Problem& problem, const std::vector<Part>& parts) {
  const Topology& topology = problem.topology();
  std::vector<double> by_speed(topology.speeds().size(), -1);
  const auto cost = [&](DeviceId from, DeviceId to) {
    if (!topology.joins(from, to)) return -1.0;
    double& sum = by_speed[topology.speed_class(from, to)];
    if (sum >= 0) return sum;
    sum = 0;
    for (const TensorId tensor : IdRange<TensorId>(problem.graph().tensors().size())) {
      sum += to_seconds(problem.costs().transfer_ps(tensor, from, to));
    }
    return sum;
  };
  Table costs{parts.size()};
  for (std::size_t p = 0; p < parts.size(); ++p) {
    for (std::size_t q = 0; q < parts.size(); ++q) {
      if (p != q) costs.at(p, q) = cost(parts[p].device, parts[q].device);
    }
  }
  const double slowest = *std::ranges::max_element(by_speed.empty() ? costs.values : by_speed);
  for (double& value : costs.values) value = value < 0 ? slowest : value;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    for (std::size_t q = 0; q < p; ++q) {
      costs.at(p, q) = costs.at(q, p) = costs.at(p, q) + costs.at(q, p);
    }
  }
  return costs;
}

Table traffic_between(const Problem& problem, std::size_t parts,
                      const std::vector<std::int32_t>& part_of) {
  Table traffic{parts};
  const Neighbours neighbours(problem);
  for (const Neighbours::Edge& edge : neighbours.edges()) {
    const auto a = static_cast<std::size_t>(part_of[edge.a.index()]);
    const auto b = static_cast<std::size_t>(part_of[edge.b.index()]);
    if (a == b) continue;
    traffic.at(a, b) += edge.transfer_seconds;
    traffic.at(b, a) += edge.transfer_seconds;
  }
  return traffic;
}

/// How much the cost of all traffic grows where parts p and q change seats.
double growth(const Table& traffic, const Table& costs, const std::vector<std::size_t>& seat_of,
              std::size_t p, std::size_t q) {
  double sum = 0;
  for (std::size_t r = 0; r < seat_of.size(); ++r) {
    if (r == p || r == q) continue;
    sum += (traffic.at(p, r) - traffic.at(q, r)) *
           (costs.at(seat_of[q], seat_of[r]) - costs.at(seat_of[p], seat_of[r]));
  }
  return sum;
}

}  // namespace

PartitionGraph partition_graph(const Problem& problem) {
  const std::size_t count = problem.groups().size();
  Watch watch(problem.deadline());
  std::vector<double> work, transfers;
  for (const GroupId group : IdRange<GroupId>(count)) {
    watch.check();
    work.push_back(mean_ps(problem, group));
  }
  const Neighbours neighbours(problem);
  for (const Neighbours::Edge& edge : neighbours.edges()) {
    transfers.push_back(edge.transfer_seconds);
  }
  const std::vector<std::int32_t> edge_weights = whole_weights(transfers, watch);

  PartitionGraph graph;
  graph.vertex_weights = whole_weights(work, watch);
  graph.offsets.assign(count + 1, 0);
  for (const Neighbours::Edge& edge : neighbours.edges()) {
    ++graph.offsets[edge.a.index() + 1];
    ++graph.offsets[edge.b.index() + 1];
  }
  for (std::size_t v = 0; v < count; ++v) graph.offsets[v + 1] += graph.offsets[v];
  graph.neighbours.resize(2 * edge_weights.size());
  graph.edge_weights.resize(2 * edge_weights.size());
  std::vector<std::int32_t> next(graph.offsets.begin(), graph.offsets.end() - 1);
  const auto add = [&](GroupId from, GroupId to, std::int32_t weight) {
    const auto at = static_cast<std::size_t>(next[from.index()]++);
    graph.neighbours[at] = static_cast<std::int32_t>(to.index());
    graph.edge_weights[at] = weight;
  };
  for (std::size_t i = 0; i < edge_weights.size(); ++i) {
    watch.check();
    add(neighbours.edges()[i].a, neighbours.edges()[i].b, edge_weights[i]);
    add(neighbours.edges()[i].b, neighbours.edges()[i].a, edge_weights[i]);
  }
  return graph;
}

std::vector<Part> wanted_parts(const Problem& problem) {
  const std::vector<double> slowness = relative_slowness(problem);
  std::vector<Part> parts;
  double sum = 0;
  for (const DeviceId device : IdRange<DeviceId>(problem.device_count())) {
    const bool used = std::ranges::any_of(problem.groups().allowed_sets(), [&](const auto& set) {
      return std::ranges::binary_search(set, device);
    });
    if (!used) continue;
    const auto slots = static_cast<double>(problem.topology().device(device).slots);
    // A device on which all takes no time: as if it were a million times as fast as the mean.
    parts.push_back({device, slots / std::max(slowness[device.index()], 1e-6)});
    sum += parts.back().work_share;
  }
  for (Part& part : parts) part.work_share /= sum;
  return parts;
}

std::vector<DeviceId> place_parts(const Problem& problem, const std::vector<Part>& parts,
                                  const std::vector<std::int32_t>& part_of) {
  const Table costs = link_costs(problem, parts);
  const Table traffic = traffic_between(problem, parts.size(), part_of);
  std::vector<std::size_t> seat_of(parts.size());  // whose device each part has
  std::iota(seat_of.begin(), seat_of.end(), std::size_t{0});
  bool improved = true;
  for (std::size_t pass = 0; improved && pass < parts.size(); ++pass) {
    improved = false;
    for (std::size_t p = 0; p < parts.size(); ++p) {
      for (std::size_t q = 0; q < p; ++q) {
        if (parts[p].work_share != parts[q].work_share) continue;
        if (growth(traffic, costs, seat_of, p, q) >= 0) continue;
        std::swap(seat_of[p], seat_of[q]);
        improved = true;
      }
    }
  }
  std::vector<DeviceId> devices;
  for (const std::int32_t part : part_of) {
    devices.push_back(parts[seat_of[static_cast<std::size_t>(part)]].device);
  }
  return devices;
}

Placement repaired(const Problem& problem, const std::vector<DeviceId>& wanted,
                   std::vector<std::int64_t> demand_bytes) {
  std::vector<GroupId> groups = topological_groups(problem);
  std::ranges::stable_sort(groups, {},
                           [&](GroupId group) { return problem.groups().allowed(group).size(); });
  GreedyPlacement made(problem, std::move(demand_bytes));
  for (const GroupId group : groups) {
    if (made.fits(group, wanted[group.index()])) {
      made.put(group, wanted[group.index()]);
      continue;
    }
    const std::vector<DeviceId> candidates = made.candidates(group);
    made.put(group, *std::ranges::min_element(candidates, {}, [&](DeviceId device) {
               return problem.group_ps(group, device) + made.added_transfers_ps(group, device);
             }));
  }
  return made.placement();
}

void evaluate_partition(Search& search, const std::vector<Part>& parts,
                        const std::vector<std::int32_t>& part_of) {
  const Problem& problem = search.problem();
  const std::vector<DeviceId> wanted = place_parts(problem, parts, part_of);
  const auto score = search.evaluate(
      repaired(problem, wanted, bytes_of_groups(problem, &GroupMemory::kept_bytes)));
  if (!score || score->fits()) return;
  search.evaluate(repaired(problem, wanted, bytes_of_groups(problem, &GroupMemory::touched_bytes)));
}

}  // namespace placer

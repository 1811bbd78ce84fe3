#include "search/groups/mean_costs.hpp"

namespace placer {
namespace {

/// A pair of devices for each link speed, and how many pairs share the speed.
struct SpeedShare {
  DeviceId from, to;
  double share = 0;
};

std::vector<SpeedShare> speed_shares(const Problem& problem) {
  const Topology& topology = problem.topology();
  std::vector<SpeedShare> shares(topology.speeds().size());
  double pairs = 0;
  for (const DeviceId from : IdRange<DeviceId>(problem.device_count())) {
    for (const DeviceId to : IdRange<DeviceId>(problem.device_count())) {
      const Route* route = topology.route(from, to);
      if (route == nullptr) continue;
      shares[route->speed_class] = {from, to, shares[route->speed_class].share + 1};
      pairs += 1;
    }
  }
  std::erase_if(shares, [](const SpeedShare& speed) { return speed.share == 0; });
  for (SpeedShare& speed : shares) speed.share /= pairs;
  return shares;
}

double mean_op_ps(const Problem& problem, OpId op) {
  const auto allowed = problem.groups().allowed(problem.groups().of(op));
  double sum_ps = 0;
  for (const DeviceId device : allowed) {
    sum_ps += static_cast<double>(problem.costs().op_ps(op, device));
  }
  return sum_ps / static_cast<double>(allowed.size());
}

}  // namespace

std::vector<double> mean_transfers_ps(const Problem& problem) {
  const std::vector<SpeedShare> shares = speed_shares(problem);
  std::vector<double> means_ps;
  for (const TensorId tensor : IdRange<TensorId>(problem.graph().tensors().size())) {
    double mean_ps = 0;
    for (const auto& [from, to, share] : shares) {
      mean_ps += share * static_cast<double>(problem.costs().transfer_ps(tensor, from, to));
    }
    means_ps.push_back(mean_ps);
  }
  return means_ps;
}

MeanCosts mean_costs(const Problem& problem) {
  MeanCosts means;
  for (const OpId op : IdRange<OpId>(problem.op_count())) {
    means.op_ps.push_back(mean_op_ps(problem, op));
  }
  means.tensor_ps = mean_transfers_ps(problem);
  return means;
}

}  // namespace placer

#include "search/groups/mean_costs.hpp"

#include <numeric>

namespace placer {
namespace {

/// Of all pairs of devices, by speed of their link.
std::vector<double> speed_shares(const Problem& problem) {
  std::vector<double> shares = problem.topology().pairs_of_speeds();
  const double pairs = std::accumulate(shares.begin(), shares.end(), 0.0);
  for (double& share : shares) share /= pairs;
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
  const std::vector<double> shares = speed_shares(problem);
  std::vector<double> means_ps;
  for (const TensorId tensor : IdRange<TensorId>(problem.graph().tensors().size())) {
    double mean_ps = 0;
    for (std::size_t speed = 0; speed < shares.size(); ++speed) {
      mean_ps += shares[speed] * static_cast<double>(problem.costs().transfer_ps(tensor, speed));
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

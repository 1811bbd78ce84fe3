#include "search/measured/left_out.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

namespace placer {
namespace {

constexpr double kAlike = 0.7;  // of the groups, on the same devices

bool are_alike(const Placement& one, const Placement& other) {
  std::size_t same = 0;
  for (std::size_t at = 0; at < one.devices.size(); ++at) {
    same += one.devices[at] == other.devices[at] ? 1 : 0;
  }
  return static_cast<double>(same) >= kAlike * static_cast<double>(one.devices.size());
}

}  // namespace

AlikeSteps alike_steps(std::span<const MeasuredStep> steps) {
  AlikeSteps sets;
  for (std::size_t at = 0; at < steps.size(); ++at) {
    const auto own = std::ranges::find_if(sets, [&](const std::vector<Eigen::Index>& set) {
      const auto first = static_cast<std::size_t>(set.front());
      return are_alike(steps[first].placement, steps[at].placement);
    });
    (own == sets.end() ? sets.emplace_back() : *own).push_back(static_cast<Eigen::Index>(at));
  }
  return sets;
}

Eigen::VectorXd shares_of(const AlikeSteps& sets) {
  Eigen::Index rows = 0;
  for (const std::vector<Eigen::Index>& set : sets) rows += static_cast<Eigen::Index>(set.size());
  Eigen::VectorXd shares(rows);
  for (const std::vector<Eigen::Index>& set : sets) {
    for (const Eigen::Index row : set) shares[row] = 1 / std::sqrt(static_cast<double>(set.size()));
  }
  return shares;
}

Eigen::MatrixXd ridge_curvature(const Eigen::MatrixXd& slopes, double weight) {
  Eigen::MatrixXd curvature = slopes.transpose() * slopes;
  curvature.diagonal().array() += weight;
  return curvature;
}

Eigen::VectorXd errors_left_out(const Eigen::VectorXd& errors, const Eigen::MatrixXd& slopes,
                                double weight, const AlikeSteps& sets) {
  if (errors.size() == 0) return errors;
  const Eigen::MatrixXd spread = ridge_curvature(slopes, weight).ldlt().solve(slopes.transpose());
  Eigen::VectorXd left_out(errors.size());
  for (const std::vector<Eigen::Index>& set : sets) {
    Eigen::MatrixXd unmoved = -slopes(set, Eigen::all) * spread(Eigen::all, set);
    unmoved.diagonal().array() += 1 + 1e-9;  // not singular where a set alone sets a factor
    const Eigen::VectorXd own = errors(set);
    const Eigen::VectorXd alone = unmoved.ldlt().solve(own);
    left_out(set) = alone;
  }
  return left_out;
}

}  // namespace placer

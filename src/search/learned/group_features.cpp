#include "search/learned/group_features.hpp"

#include <algorithm>

#include "placer/base/real.hpp"
#include "search/groups/group_graph.hpp"

namespace placer {
namespace {

using nn::at;

constexpr Eigen::Index kDimensions = 4, kScalars = kDimensions + 4;

double log1p_of(double x) { return portable_log(1 + std::max(0.0, x)); }

double log_share(double part, double whole) {
  return whole > 0 ? log1p_of(1e4 * part / whole) : 0.0;
}

double volume(const OutputShape& output) {
  double product = 1;
  for (const std::int64_t size : output.shape)
    product *= static_cast<double>(std::max<std::int64_t>(1, size));
  return product;
}

/// Among identical devices the heaviest group may only go to the first: placements that differ by
/// their names alone are the same.
void bar_devices(const Problem& problem, const GroupGraph& graph, nn::Matrix& barred) {
  const auto heaviest = std::ranges::max_element(graph.mean_ps) - graph.mean_ps.begin();
  for (std::size_t row = 0; row < graph.size(); ++row) {
    const GroupId group = graph.order[row];
    for (const DeviceId device : IdRange<DeviceId>(problem.device_count())) {
      const bool repeats = static_cast<std::ptrdiff_t>(group.index()) == heaviest &&
                           problem.first_identical(device) != device;
      if (!problem.groups().is_allowed(group, device) || repeats) {
        barred(at(row), at(device.index())) = GroupFeatures::kBarred;
      }
    }
  }
}

void fill_types(const Problem& problem, GroupFeatures& features) {
  std::vector<std::vector<std::size_t>> of_rows;
  for (const GroupId group : features.order) {
    std::vector<std::size_t>& types = of_rows.emplace_back();
    for (const OpId op : problem.groups().ops(group)) {
      const std::string& type = problem.graph().op(op).type;
      const auto found = std::ranges::find(features.types, type);
      types.push_back(static_cast<std::size_t>(found - features.types.begin()));
      if (found == features.types.end()) features.types.push_back(type);
    }
  }
  features.type_shares = nn::Matrix::Zero(at(of_rows.size()), at(features.types.size()));
  for (std::size_t row = 0; row < of_rows.size(); ++row) {
    for (const std::size_t type : of_rows[row]) {
      features.type_shares(at(row), at(type)) += 1.0 / static_cast<double>(of_rows[row].size());
    }
  }
}

void fill_shape(const Problem& problem, GroupId group, Eigen::Index row, nn::Matrix& numbers) {
  const OutputShape* output = largest_output(problem, group);
  if (output == nullptr) return;
  const auto dimensions = std::min<std::size_t>(kDimensions, output->shape.size());
  for (std::size_t d = 0; d < dimensions; ++d) {
    numbers(row, at(d)) = log1p_of(static_cast<double>(output->shape[d]));
  }
}

/// Shares, so that units do not matter.
void fill_shares(const GroupGraph& graph, nn::Matrix& numbers) {
  const double most_output_bytes = std::ranges::max(graph.output_bytes);
  const double most_params_bytes = std::ranges::max(graph.params_bytes);
  double all_ps = 0;
  for (const double ps : graph.mean_ps) all_ps += ps;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Eigen::Index row = at(i);
    const std::size_t group = graph.order[i].index();
    numbers(row, kDimensions) = log_share(graph.output_bytes[group], most_output_bytes);
    numbers(row, kDimensions + 1) = log_share(graph.params_bytes[group], most_params_bytes);
    const double share = all_ps > 0 ? graph.mean_ps[group] / all_ps : 0.0;
    numbers(row, kDimensions + 2) = log_share(share, 1);
    numbers(row, kDimensions + 3) = share;
  }
}

void fill_neighbours(const GroupGraph& graph, nn::Matrix& numbers) {
  std::vector<std::size_t> row_of(graph.size());
  for (std::size_t row = 0; row < graph.size(); ++row) row_of[graph.order[row].index()] = row;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const std::size_t group = graph.order[i].index();
    for (const std::uint32_t parent : graph.parents[group]) {
      numbers(at(i), kScalars + at(row_of[parent])) = 1;
    }
    for (const std::uint32_t child : graph.children[group]) {
      numbers(at(i), kScalars + at(graph.size() + row_of[child])) = 1;
    }
  }
}

}  // namespace

GroupFeatures::GroupFeatures(const Problem& problem) {
  const GroupGraph graph(problem);
  order = graph.order;
  fill_types(problem, *this);
  barred = nn::Matrix::Zero(at(order.size()), at(problem.device_count()));
  bar_devices(problem, graph, barred);
  numbers = nn::Matrix::Zero(at(order.size()), kScalars + 2 * at(order.size()));
  for (std::size_t i = 0; i < order.size(); ++i) fill_shape(problem, order[i], at(i), numbers);
  fill_shares(graph, numbers);
  fill_neighbours(graph, numbers);
  for (Eigen::Index column = 0; column < kScalars; ++column) {
    const double largest = numbers.col(column).maxCoeff();
    if (largest > 0) numbers.col(column) /= largest;
  }
}

const OutputShape* largest_output(const Problem& problem, GroupId group) {
  const OutputShape* largest = nullptr;
  for (const OpId op : problem.groups().ops(group)) {
    for (const OutputShape& output : problem.graph().op(op).outputs) {
      if (largest == nullptr || volume(output) > volume(*largest)) largest = &output;
    }
  }
  return largest;
}

}  // namespace placer

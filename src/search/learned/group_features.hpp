#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nn/matrix.hpp"
#include "placer/model/problem.hpp"

namespace placer {

/// A group as the sequence networks see it; rows are groups by their first op in program order.
struct GroupFeatures {
  explicit GroupFeatures(const Problem& problem);
  std::size_t size() const { return order.size(); }

  std::vector<GroupId> order;
  std::vector<std::string> types;  // of ops, by first occurrence
  nn::Matrix type_shares;          // groups x types: share of the group's ops
  // groups x (8 + 2 groups), from 0 to about 1: the largest output's first four dimensions, bytes
  // that leave, parameters, mean time (all log-scaled over their maximum) and share of the time;
  // then whom it takes from and whom it gives to, 1 each.
  nn::Matrix numbers;
  nn::Matrix barred;  // groups x devices: 0, or kBarred where the group may not go

  /// The logit of a device where a group may not go: its probability is 0.
  static constexpr double kBarred = -1e4;
};

/// The output with the most elements among those of the group's ops; null where they have none.
const OutputShape* largest_output(const Problem& problem, GroupId group);

}  // namespace placer

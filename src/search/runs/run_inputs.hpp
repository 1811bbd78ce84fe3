#pragma once

#include <vector>

#include "placer/model/problem.hpp"

namespace placer {

/// What the groups of a run, which stand in a row of an order, read from others takes, while it
/// grows group by group: each tensor once, the mean over pairs of devices. Groups may stand nowhere
/// in the order.
class RunInputs {
 public:
  RunInputs(const Problem& problem, const std::vector<GroupId>& order);

  void begin(std::size_t first);
  /// In ps, of all groups from the first to the one at `last`, which is added.
  double add_ps(std::size_t last);
  /// By place, and one more for the end: what is made on one side of it and read on the other, in
  /// ps for each reader.
  std::vector<double> crossing_ps() const;

 private:
  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);
  struct Read {
    TensorId tensor;
    std::size_t made;  // at that place
    double ps;
  };
  std::vector<std::vector<Read>> reads_, makes_;  // by place
  std::vector<std::size_t> seen_;                 // by tensor: the run that takes it
  std::size_t first_ = 0, run_ = 0;
  double ps_ = 0;
};

}  // namespace placer

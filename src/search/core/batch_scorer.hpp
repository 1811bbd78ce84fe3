#pragma once

#include <functional>
#include <span>
#include <vector>

#include "placer/model/problem.hpp"
#include "placer/sim/score.hpp"

namespace placer {

/// Scores placements of one problem elsewhere than on the request's threads, with the same bits.
class BatchScorer {
 public:
  virtual ~BatchScorer() = default;
  /// The scores of the first of `placements`, whose groups are `placed`'s: the problem's own, or
  /// merged. There are fewer than `placements`, or none, where it does not pay to ask elsewhere,
  /// and once `stop` says so. `orders` has one order for each placement, or none at all.
  virtual std::vector<Score> scores(const Problem& placed, std::span<const Placement> placements,
                                    std::span<const OpOrder> orders,
                                    const std::function<bool()>& stop) = 0;
};

}  // namespace placer

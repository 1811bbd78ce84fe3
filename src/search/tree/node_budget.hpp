#pragma once

#include <cstdint>

#include "placer/search/search.hpp"

namespace placer {

/// The nodes, partial placements or schedules, that an exact search may look at.
class NodeBudget {
 public:
  /// At most `most`; none of them counts as an evaluation.
  explicit NodeBudget(std::int64_t most) : left_(most) {}
  /// At most `most`, which count towards the budget of `search`.
  NodeBudget(std::int64_t most, Search& search) : left_(most), search_(&search) {}

  /// How many may be looked at now, where so many count as an evaluation.
  std::int64_t left(std::int64_t per_evaluation) const;
  void take(std::int64_t nodes, std::int64_t per_evaluation);
  std::int64_t taken() const { return taken_; }

 private:
  std::int64_t left_, taken_ = 0, uncounted_ = 0;
  Search* search_ = nullptr;
};

enum class ExactEnd { kProven, kNothingFits, kCutShort };

}  // namespace placer

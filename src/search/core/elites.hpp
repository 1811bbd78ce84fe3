#pragma once

#include <cstddef>
#include <vector>

#include "placer/search/search.hpp"

namespace placer {

/// The best that were offered and fit, the best first. No two have equal scores, so that devices
/// with other names make no second one.
class Elites {
 public:
  explicit Elites(std::size_t most) : most_(most) {}

  /// Whether `offer` would keep what has this score.
  bool wants(const Score& score) const;
  /// The longest step of what `offer` may keep.
  Picoseconds longest_wanted() const;
  void offer(Candidate candidate);
  const std::vector<Candidate>& all() const { return kept_; }

 private:
  std::size_t most_;
  std::vector<Candidate> kept_;
};

}  // namespace placer

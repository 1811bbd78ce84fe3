#include "search/core/elites.hpp"

#include <algorithm>
#include <utility>

namespace placer {

bool Elites::wants(const Score& score) const {
  if (most_ == 0 || !score.fits()) return false;
  if (kept_.size() == most_ && !(score < kept_.back().score)) return false;
  return std::ranges::count(kept_, score, &Candidate::score) == 0;
}

Picoseconds Elites::longest_wanted() const {
  if (most_ == 0) return 0;
  return kept_.size() < most_ ? kAnyTime : kept_.back().score.step_ps;
}

void Elites::offer(Candidate candidate) {
  if (!wants(candidate.score)) return;
  if (kept_.size() == most_) kept_.pop_back();
  kept_.insert(std::ranges::upper_bound(kept_, candidate.score, {}, &Candidate::score),
               std::move(candidate));
}

}  // namespace placer

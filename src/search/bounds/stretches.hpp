#pragma once

#include <span>
#include <vector>

#include "placer/model/problem.hpp"
#include "placer/search/bounds.hpp"
#include "search/groups/memory_fit.hpp"
#include "search/joins/stretch.hpp"

namespace placer {

/// The longest path falls into stretches where it passes an op to which all others on ways from its
/// start to its end come before or after: what is between two such ops runs between them, and does
/// not overlap with what is in other stretches. These are the stretches that have branches, first
/// to last, each with what a problem of its own, its *part*, takes at least. So a layer of experts
/// takes as long as its experts do on all devices, though these have time for them in the whole
/// step. There are none on graphs and machines that are too large for this to be quick.
class Stretches {
 public:
  /// With the lower bounds of their parts: for each number, stretches as short as they can be with
  /// that many groups or more.
  Stretches(const Problem& problem, const MemoryFit& fit,
            std::span<const std::size_t> fewest_groups);

  std::span<const Stretch> list() const { return list_; }

  /// One for all stretches that are alike. Its first op takes no time there.
  std::span<const Problem> parts() const { return parts_; }
  /// What the part, by its position, is known to take at least.
  Picoseconds least_ps(std::size_t part) const { return least_ps_[part]; }
  /// The part is known to take at least so long. False where as much was known.
  bool raise(std::size_t part, Picoseconds least_ps);

 private:
  std::vector<Stretch> list_;
  std::vector<std::size_t> part_of_;  // by stretch
  std::vector<Problem> parts_;
  std::vector<Picoseconds> least_ps_;  // by part
};

/// The bounds of what a search places, where its stretches are known to take so long.
LowerBounds lower_bounds(const Search& search, const Stretches& stretches);

}  // namespace placer

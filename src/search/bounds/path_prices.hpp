#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "search/bounds/load_bound.hpp"
#include "search/groups/memory_fit.hpp"

namespace placer {

/// The loads of all groups, by where each may go; without prices.
LoadBound loads_of_groups(const Problem& problem, const MemoryFit& fit);

inline constexpr int kStepsOfLoads = 300;  // of looking for the prices of loads alone

/// `by_work`, whose bound by work is `work_ps`, with the prices of the bound by work and memory
/// instead; as it is where no memory may bind or a group fits nowhere.
struct LoadsInMemory {
  LoadBound loads;
  std::optional<Picoseconds> bound_ps;  // at least `work_ps`; empty where nothing fits
};
LoadsInMemory loads_in_memory(const LoadBound& by_work, Picoseconds work_ps, const MemoryFit& fit);

/// Prices of paths beside those of devices and memories, for as long as that raises the bound on
/// the step time. A flow shares one unit out over all paths, most of it over the longest: as each
/// path takes no longer than the step, neither does their mean.
class PathPrices {
 public:
  struct Choice {
    GroupId group;
    DeviceId device;  // the first of its pool
  };

  /// `loads` are those of all groups, with prices that are good first ones.
  PathPrices(const Problem& problem, const MemoryFit& fit, LoadBound loads);

  /// Whether there are so many choices that this would take long; then nothing below is asked.
  bool is_too_large() const;
  /// Looks for paths and prices and returns the bound that they give.
  Picoseconds run();

  /// After `run`: replaces prices and shares by those of the linear program with the same flows, of
  /// which few groups have more than one, where that does not take long. Returns its bound, or 0.
  Picoseconds settle();

  /// In the order in which LoadBound has them.
  const std::vector<Choice>& choices() const { return choices_; }
  /// After `run`: the prices, and the shares of groups.
  const LoadBound& loads() const { return loads_; }
  /// After `run`: the bound by work, memory and the same flows where only `left` is there to choose
  /// from, of all choices and in their order. The largest number where a group has no choice left.
  Picoseconds bound_of(const std::vector<Choice>& left) const;

 private:
  std::vector<std::int64_t> critical_flow(double width) const;
  std::vector<double> shared_times() const;
  std::vector<Picoseconds> times_on(const std::vector<std::int64_t>& flow,
                                    const std::vector<Choice>& choices) const;

  const Problem& problem_;
  const MemoryFit& fit_;
  LoadBound loads_;
  std::vector<Choice> choices_;
  std::vector<std::vector<OpId>> consumers_;      // by op
  std::vector<double> mean_shares_;               // by choice
  std::vector<std::vector<std::int64_t>> flows_;  // by op: the part of all paths through it
  int steps_ = 0;                                 // of looking for prices
  std::size_t most_flows_ = 0;
};

/// The prices of the bound by work and memory, of memory alone where not even fractions of groups
/// fit; `with_paths`, also of paths, where there are few enough choices for that to be quick.
PathPrices best_prices(const Problem& problem, const MemoryFit& fit, bool with_paths);

}  // namespace placer

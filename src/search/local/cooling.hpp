#pragma once

#include "placer/search/search.hpp"
#include "search/local/anneal.hpp"

namespace placer {

/// The temperature of an annealing: it falls geometrically with the share of the budget that is
/// used, in long budgets several times.
class Cooling {
 public:
  Cooling(Search& search, const AnnealOptions& options);

  /// What a temperature of 1 means, in seconds.
  void set_scale(double seconds) { scale_seconds_ = seconds; }
  /// Sets the temperature by the search's progress; true where another cycle begins.
  bool cool();
  /// What a placement costs at this temperature. Overflow costs less at first, so that a walk can
  /// pass through what does not fit.
  double cost_seconds(const Score& score) const;
  /// The most that a next placement may cost to be taken, as drawn for this time (Metropolis).
  double limit_seconds(const Score& current) const;
  /// No longer step costs `limit_seconds` or less.
  static Picoseconds longest_within(double limit_seconds);

 private:
  Search& search_;
  const double temperature_;             // at first
  const double log_fall_, log_penalty_;  // logarithms of how far it falls, of the first penalty
  const double cycle_evaluations_;
  const std::int64_t evaluations_at_first_;
  double scale_seconds_ = 0, temperature_seconds_ = 0;
  double cycles_ = 0, cycle_ = 0;
  double share_ = 0;  // of the cycle that is over
  double fall_ = 1;   // what is left of the temperature since
  double penalty_;    // what overflow costs, of what it costs in the end
};

}  // namespace placer

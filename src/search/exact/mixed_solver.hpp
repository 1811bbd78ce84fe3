#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "search/exact/mixed_program.hpp"

namespace placer {

/// Between a thread that solves a program and one that waits for it.
class MixedProgress {
 public:
  /// Asks the solver to end soon.
  void stop() { stop_ = true; }
  bool is_stopped() const { return stop_; }

  void add_solution(std::vector<double> values);
  /// The solutions since the last call, each better than those before.
  std::vector<std::vector<double>> take_solutions();
  /// No solution costs less, but for the solver's tolerances, as far as is known; not taken any
  /// more once it is to stop.
  void know_bound(double cost);
  std::optional<double> bound() const;
  void count_nodes(std::int64_t nodes) { nodes_ = nodes; }
  std::int64_t nodes() const { return nodes_; }

 private:
  std::atomic<bool> stop_ = false;
  std::atomic<std::int64_t> nodes_ = 0;
  mutable std::mutex mutex_;
  std::vector<std::vector<double>> solutions_;
  std::optional<double> bound_;
};

/// Where a solver begins, and how many nodes of its tree it looks at.
struct MixedStart {
  std::vector<MixedProgram::Term> integers;  // values of integer columns; empty: of none
  std::int64_t most_nodes = 0;
};

/// Whether this build can solve such programs: it can with the library CBC.
bool can_solve_mixed_programs();

/// Solves by branch and cut, on one thread and always in the same way; tells `progress` what it
/// finds. True where it has looked at all there is: then no solution costs less than the best, or
/// than `progress`'s bound where there is none. CBC counts what is worse by less than about 1e-6 of
/// a bound or 1e-5 of costs as nothing. Prints nothing.
bool solve_mixed_program(const MixedProgram& program, const MixedStart& start,
                         MixedProgress& progress);

}  // namespace placer

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

struct MixedLimits {
  std::int64_t nodes = 0;  // of the tree
  bool until_any = false;  // the first solution will do
};

/// Whether this build can solve such programs: it can with the library CBC.
bool can_solve_mixed_programs();

/// Solves by branch and cut, on one thread and always in the same way; tells `progress` what it
/// finds. True where it has looked at all there is: then no solution costs less than the best, and
/// where there is none, the program has none. CBC takes what breaks a row by 1e-7 for a solution,
/// and what costs less by 1e-5 for nothing better. Prints nothing.
bool solve_mixed_program(const MixedProgram& program, const MixedLimits& limits,
                         MixedProgress& progress);

}  // namespace placer

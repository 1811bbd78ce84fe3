#pragma once

#include <optional>
#include <string>

#include "cli/compare/runs.hpp"

namespace placer {

/// A folder with a file for each run that has finished, so that a comparison goes on where it was
/// interrupted, and a larger one adds to it. A run is taken from its file where the problem, the
/// algorithm with its options, the order, groups, budget and seed, and the version of this program
/// are the same; the file then gives all that a report says of it, times included.
class RunStore {
 public:
  /// Makes the folder. Throws Error where it cannot.
  explicit RunStore(std::string folder);

  /// The run of `request` on graph `graph` by algorithm `algorithm`, by their positions in the
  /// comparison; empty where there is none. `observer` is warned of a file that is damaged, which
  /// counts as none.
  std::optional<RunRecord> find(const Comparison& comparison, std::size_t graph,
                                std::size_t algorithm, const SearchRequest& request,
                                const Observer& observer) const;
  /// Writes the run's file; where it cannot, that is a warning, as the run is none the worse.
  void keep(const Comparison& comparison, const RunRecord& run, const SearchRequest& request,
            const Observer& observer) const;

  /// How many files have a run of the names and a seed of the comparison that it does not take,
  /// because another version made it, or of another problem.
  struct Others {
    std::size_t of_versions = 0, of_problems = 0;
  };
  Others others(const Comparison& comparison) const;

 private:
  std::string folder_;
};

}  // namespace placer

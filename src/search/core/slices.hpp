#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "base/team.hpp"
#include "placer/search/search.hpp"

namespace placer {

/// A piece of a search that may run anywhere: with the problem and the table of strategies, all
/// that its result depends on. Under a budget of evaluations alone it gives the same `SliceEnd`
/// wherever, whenever and beside whatever it runs.
struct Slice {
  std::size_t strategy = 0;        // in the caller's table
  std::optional<Candidate> start;  // of the search's groups; empty: it begins anew
  std::uint64_t seed = 0;
  std::int64_t evaluations = 0;                              // at most
  double seconds = std::numeric_limits<double>::infinity();  // at most, from when it begins
};

/// What a slice found, and what the run's books need of it. To go on from there takes another slice
/// that starts from `best`.
struct SliceEnd {
  std::optional<Candidate> best;  // of its start and those that it scored
  std::vector<Candidate> elites;  // in the groups of the run, not of the search
  std::int64_t evaluations = 0;
  std::vector<Score> scores;  // of its evaluations, in their order, those after an interrupt apart
  std::int64_t other_work = 0;  // that counts as so many evaluations
  bool proven = false;          // the slice has proven its best
  bool ends_run = false;        // by a proof, a bound or the target
  bool is_cut = false;          // by an interrupt
  double wall_seconds = 0;
};

/// Whether an earlier slice has ended the run, so that later ones need not go on.
struct SlicesEnded {
  const std::atomic<std::size_t>* first = nullptr;  // the number of the first that has
  std::size_t number = 0;                           // of this one
  bool before_this() const {
    return first != nullptr && first->load(std::memory_order_relaxed) < number;
  }
};

/// Runs slices of one search on the request's threads.
class SideBySide {
 public:
  /// Runs `slice.strategy` with the budget of `search`, whose best is at first the
  /// slice's start.
  using Run = std::function<void(const Slice& slice, Search& search)>;

  explicit SideBySide(Search& search);

  /// Runs the slices and counts what they did as if they had run here one after the other; the
  /// results are the same for any number of threads. There are fewer than `slices` where one of
  /// them ended the run.
  std::vector<SliceEnd> run(std::span<const Slice> slices, const Run& run);

  int threads() const { return static_cast<int>(team_.size()); }
  /// Of the search; infinite without a time limit.
  double seconds_left() const;

 private:
  SliceEnd run_one(const Slice& slice, const Run& run, const SlicesEnded& ended) const;

  Search& search_;
  Team team_;
};

}  // namespace placer

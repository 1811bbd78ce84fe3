#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/team.hpp"
#include "placer/search/search.hpp"

namespace placer {

/// A piece of a search that may run anywhere: with the problem and the table of strategies, all
/// that its result depends on. Under a budget of evaluations alone it gives the same `SliceEnd`
/// wherever, whenever and beside whatever it runs.
struct Slice {
  std::size_t strategy = 0;        // in the caller's table
  std::string strategy_name;       // by which other processes know it
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
  bool is_cut = false;          // by an interrupt, or its end did not come in time
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

/// A slice with all that its end depends on besides the problem and the request of its run.
struct SliceTask {
  Slice slice;
  std::vector<GroupId> group_of;        // the search's groups, by op; empty: those of the run
  std::optional<Picoseconds> bound_ps;  // that the run knows
  std::size_t keeps_elites = 0;
  double seconds_left = std::numeric_limits<double>::infinity();  // of the run
};

struct SearchRequest;
struct SearchState;

/// Runs slices elsewhere than on the request's threads.
class SliceRunner {
 public:
  virtual ~SliceRunner() = default;
  /// How many run side by side, as far as is known now; at least 1.
  virtual std::size_t at_once() = 0;
  /// Calls `take(index, end)` once for each task, in any order, by this thread, until all have
  /// ended or `stop` says so; after an interrupt of the run for those alone that have begun.
  virtual void run(std::span<const SliceTask> tasks,
                   const std::function<void(std::size_t index, SliceEnd end)>& take,
                   const std::function<bool()>& stop) = 0;
};

/// Runs slices of one search: on the request's threads, or by its `SliceRunner`.
class SideBySide {
 public:
  /// Runs `slice.strategy` with the budget of `search`, whose best is at first the
  /// slice's start.
  using Run = std::function<void(const Slice& slice, Search& search)>;

  explicit SideBySide(Search& search);

  /// Runs the slices and counts what they did as if they had run here one after the other; the
  /// results are the same for any number of threads and any runner. There are fewer than `slices`
  /// where one of them ended the run.
  std::vector<SliceEnd> run(std::span<const Slice> slices, const Run& run);

  /// What a runner does with a task, wherever it does it; `problem` and `request` are those of the
  /// run.
  static SliceEnd run_task(const Problem& problem, const SearchRequest& request,
                           const SliceTask& task, const Run& run);

  int threads() const { return static_cast<int>(team_.size()); }
  /// How many slices run side by side.
  int at_once() const;
  /// Of the search; infinite without a time limit.
  double seconds_left() const;

 private:
  std::vector<SliceEnd> run_here(std::span<const Slice> slices, const Run& run);
  std::vector<SliceEnd> run_elsewhere(std::span<const Slice> slices, SliceRunner& runner) const;
  SliceTask task_of(const Slice& slice) const;

  using OnState = std::function<void(const SearchState&)>;
  static SliceEnd run_one(const Ledger& whole, const Problem& placed, const Slice& slice,
                          double seconds_left, const Run& run, const SlicesEnded& ended,
                          const OnState& on_state = {});

  Search& search_;
  Team team_;
};

}  // namespace placer

#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "search/core/ledger.hpp"

namespace placer {

/// Tells how far a run is while slices of it are at work, and what they have found, by the thread
/// of the run alone: several times a second, but for no more than a twentieth of the time.
class SliceNews {
 public:
  /// For so many slices of the run with these books; made by the thread of the run.
  SliceNews(Ledger& whole, std::size_t slices);

  /// Whether anybody wants to be told.
  bool is_wanted() const;
  /// Takes where a slice stands; called by the slice's thread after each of its evaluations.
  void look(std::size_t slice, const SearchState& state);
  /// Takes what a slice, whose groups are `placed`'s, has done in all; called by any thread.
  void end(std::size_t slice, const Problem& placed, const SliceEnd& end);

 private:
  using Clock = std::chrono::steady_clock;
  struct Told {
    Clock::time_point next;  // when to look again; by the slice's thread alone
    std::size_t evaluations = 0;
    std::vector<Score> scores;  // where the run keeps them
    bool is_whole = false;
  };

  void take(Told& told, std::span<const Score> scores);
  void take_best(const Candidate& found);
  void tell_in_time();
  void tell();
  std::vector<Score> all_scores() const;

  Ledger& whole_;
  const std::thread::id thread_ = std::this_thread::get_id();
  std::vector<Told> told_;
  std::optional<Candidate> best_;  // better than that of the books
  Clock::time_point next_;         // when to tell
  std::mutex mutex_;               // for all of the above but `Told::next`
};

}  // namespace placer

#include "search/core/slice_news.hpp"

#include <algorithm>

namespace placer {
namespace {

using Clock = std::chrono::steady_clock;

/// When to do again what was begun then: it takes a twentieth of the time at most.
Clock::time_point after(Clock::time_point begin) {
  constexpr std::chrono::milliseconds kLeast(200);
  const Clock::time_point now = Clock::now();
  return now + std::max<Clock::duration>(kLeast, 20 * (now - begin));
}

}  // namespace

SliceNews::SliceNews(Ledger& whole, std::size_t slices)
    : whole_(whole), told_(slices), next_(after(Clock::now())) {
  for (Told& told : told_) told.next = next_;
}

bool SliceNews::is_wanted() const {
  return whole_.request().on_state || whole_.request().on_progress;
}

void SliceNews::look(std::size_t slice, const SearchState& state) {
  const Clock::time_point begin = Clock::now();
  Told& told = told_[slice];
  if (begin < told.next) return;
  const std::lock_guard lock(mutex_);
  take(told, state.scores);
  take_best({state.best, state.order, state.score});
  tell_in_time();
  told.next = after(begin);
}

void SliceNews::end(std::size_t slice, const Problem& placed, const SliceEnd& end) {
  const std::lock_guard lock(mutex_);
  take(told_[slice], end.scores);
  told_[slice].is_whole = !end.ends_run && !end.is_cut;
  const auto own = end.best ? regroup(placed, end.best->placement, whole_.problem()) : std::nullopt;
  if (own) take_best({*own, end.best->order, end.best->score});
  tell_in_time();
}

void SliceNews::take(Told& told, std::span<const Score> scores) {
  told.evaluations = scores.size();
  if (whole_.request().keeps_scores) told.scores.assign(scores.begin(), scores.end());
}

void SliceNews::take_best(const Candidate& found) {
  const bool is_known =
      best_ ? best_->score <= found.score : whole_.has_best() && whole_.best_score() <= found.score;
  if (is_known) return;
  best_ = found;
  whole_.hear_of_better();
}

void SliceNews::tell_in_time() {
  const Clock::time_point begin = Clock::now();
  if (std::this_thread::get_id() != thread_ || begin < next_ || !is_wanted()) return;
  tell();
  next_ = after(begin);
}

void SliceNews::tell() {
  SlicesAhead ahead{.best = best_ ? &*best_ : nullptr};
  for (const Told& told : told_) ahead.evaluations += static_cast<std::int64_t>(told.evaluations);
  const std::vector<Score> scores = all_scores();
  ahead.scores = scores;
  whole_.report_progress(ahead);
}

/// Those that another run could go on from: of the slices that have ended, in their order, and of
/// the first one that has not.
std::vector<Score> SliceNews::all_scores() const {
  if (!whole_.request().keeps_scores) return {};
  const std::span<const Score> before = whole_.scores();
  std::vector<Score> scores(before.begin(), before.end());
  for (const Told& told : told_) {
    scores.insert(scores.end(), told.scores.begin(), told.scores.end());
    if (!told.is_whole) break;
  }
  return scores;
}

}  // namespace placer

#include "search/core/slices.hpp"

#include <algorithm>

#include "placer/base/deadline.hpp"
#include "search/core/evaluators.hpp"
#include "search/core/ledger.hpp"
#include "search/core/slice_news.hpp"

namespace placer {
namespace {

// Of the time that is left, for slices elsewhere, whose ends have to come back; and how long those
// that are late are waited for.
constexpr double kSecondsElsewhere = 0.98, kGraceSeconds = 0.25;

SearchRequest request_of(const Slice& slice, const SearchRequest& whole, double seconds_left) {
  SearchRequest request = whole;
  request.budget.evaluations = slice.evaluations;
  request.budget.seconds = std::min(slice.seconds, seconds_left);
  request.threads = 1;
  request.resume = nullptr;
  request.slices = nullptr;
  request.scorer = nullptr;
  request.keeps_scores = true;
  request.on_progress = {};
  request.on_state = {};
  request.observer = {};
  return request;
}

}  // namespace

SideBySide::SideBySide(Search& search)
    : search_(search), team_(search.ledger_->request().threads) {}

double SideBySide::seconds_left() const {
  return std::max(0.0, search_.last_second_ - search_.ledger_->wall_seconds());
}

int SideBySide::at_once() const {
  SliceRunner* runner = search_.ledger_->request().slices;
  return runner == nullptr ? threads() : static_cast<int>(runner->at_once());
}

SliceEnd SideBySide::run_one(const Ledger& whole, const Problem& placed, const Slice& slice,
                             double seconds_left, const Run& run, const SlicesEnded& ended,
                             const OnState& on_state) {
  SearchRequest request = request_of(slice, whole.request(), seconds_left);
  request.on_state = on_state;
  Ledger ledger(whole, request, placed, slice, ended);
  Search search(ledger, placed, request.order, Rng(slice.seed), request.budget.evaluations,
                request.budget.seconds);
  try {
    if (!ended.before_this() && !whole.interrupted()) run(slice, search);
  } catch (const Stopped&) {
    // What was scored before stands.
  }
  SliceEnd end = ledger.end_of_slice();
  if (ledger.has_best()) {
    end.best = Candidate{*search.best(), ledger.best_order(), ledger.best_score()};
  }
  return end;
}

SliceEnd SideBySide::run_task(const Problem& problem, const SearchRequest& request,
                              const SliceTask& task, const Run& run) {
  SearchRequest own = request;
  own.resume = nullptr;
  own.keeps_elites = task.keeps_elites;
  own.keeps_schedule = false;
  const Problem whole =
      problem.within(Deadline(Deadline::Clock::now(), task.seconds_left, request.interrupt));
  Ledger ledger(whole, own);
  if (task.bound_ps) ledger.know_bound(*task.bound_ps);
  const Problem placed = task.group_of.empty() ? whole : whole.with_groups(task.group_of);
  return run_one(ledger, placed, task.slice, task.seconds_left, run, {});
}

std::vector<SliceEnd> SideBySide::run(std::span<const Slice> slices, const Run& run) {
  Ledger& ledger = *search_.ledger_;
  SliceRunner* runner = ledger.request().slices;
  std::vector<SliceEnd> ends;
  while (ends.size() < slices.size() && !search_.spent()) {
    // Where recorded scores are handed out, one slice has to end before the next knows its own.
    const bool has_recorded = !ledger.recorded(1).empty();
    const auto next = slices.subspan(ends.size(), has_recorded ? 1 : slices.size() - ends.size());
    const bool is_here = has_recorded || runner == nullptr;
    for (SliceEnd& end : is_here ? run_here(next, run) : run_elsewhere(next, *runner)) {
      ledger.absorb(search_.problem(), end);
      ends.push_back(std::move(end));
      if (ends.back().ends_run) break;
    }
    ledger.report_progress();
  }
  return ends;
}

std::vector<SliceEnd> SideBySide::run_here(std::span<const Slice> slices, const Run& run) {
  std::vector<SliceEnd> ends(slices.size());
  std::atomic<std::size_t> ended = slices.size();
  SliceNews news(*search_.ledger_, slices.size());
  team_.each(slices.size(), [&](std::size_t at, std::size_t) {
    OnState on_state;
    if (news.is_wanted()) on_state = [&news, at](const SearchState& now) { news.look(at, now); };
    ends[at] = run_one(*search_.ledger_, search_.problem(), slices[at], seconds_left(), run,
                       {&ended, at}, on_state);
    news.end(at, search_.problem(), ends[at]);
    if (!ends[at].ends_run) return;
    std::size_t known = ended;
    while (at < known && !ended.compare_exchange_weak(known, at)) {
    }
  });
  return ends;
}

SliceTask SideBySide::task_of(const Slice& slice) const {
  const Ledger& ledger = *search_.ledger_;
  const Problem& placed = search_.problem();
  SliceTask task{.slice = slice,
                 .bound_ps = ledger.bound_ps(),
                 .keeps_elites = ledger.request().keeps_elites,
                 .seconds_left = kSecondsElsewhere * seconds_left()};
  if (&placed.groups() == &ledger.problem().groups()) return task;
  for (const OpId op : IdRange<OpId>(placed.op_count())) {
    task.group_of.push_back(placed.groups().of(op));
  }
  return task;
}

/// What has no end in time counts as interrupted before it began.
std::vector<SliceEnd> SideBySide::run_elsewhere(std::span<const Slice> slices,
                                                SliceRunner& runner) const {
  std::vector<SliceTask> tasks;
  for (const Slice& slice : slices) tasks.push_back(task_of(slice));
  std::vector<SliceEnd> ends(slices.size(), SliceEnd{.is_cut = true});
  std::vector<bool> has_ended(slices.size());
  std::size_t in_a_row = 0;  // of the first, that have ended
  bool is_over = false;      // by one of them
  const Ledger& ledger = *search_.ledger_;
  double last_second = search_.last_second_;
  SliceNews news(*search_.ledger_, slices.size());
  runner.run(
      tasks,
      [&](std::size_t at, SliceEnd end) {
        ends[at] = std::move(end);
        news.end(at, search_.problem(), ends[at]);
        has_ended[at] = true;
        for (; in_a_row < ends.size() && has_ended[in_a_row] && !is_over; ++in_a_row) {
          is_over = ends[in_a_row].ends_run;
        }
      },
      [&] {
        const double seconds = ledger.wall_seconds();
        if (ledger.interrupted()) last_second = std::min(last_second, seconds);
        return is_over || seconds > last_second + kGraceSeconds;
      });
  return ends;
}

}  // namespace placer

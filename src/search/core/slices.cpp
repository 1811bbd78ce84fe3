#include "search/core/slices.hpp"

#include <algorithm>

#include "placer/base/deadline.hpp"
#include "search/core/evaluators.hpp"
#include "search/core/ledger.hpp"

namespace placer {
namespace {

SearchRequest request_of(const Slice& slice, const SearchRequest& whole, double seconds_left) {
  SearchRequest request = whole;
  request.budget.evaluations = slice.evaluations;
  request.budget.seconds = std::min(slice.seconds, seconds_left);
  request.threads = 1;
  request.resume = nullptr;
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

SliceEnd SideBySide::run_one(const Slice& slice, const Run& run, const SlicesEnded& ended) const {
  const Ledger& whole = *search_.ledger_;
  const SearchRequest request = request_of(slice, whole.request(), seconds_left());
  Ledger ledger(whole, request, search_.problem(), slice, ended);
  Search search(ledger, search_.problem(), Rng(slice.seed), request.budget.evaluations,
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

std::vector<SliceEnd> SideBySide::run(std::span<const Slice> slices, const Run& run) {
  Ledger& ledger = *search_.ledger_;
  std::vector<SliceEnd> ends;
  while (ends.size() < slices.size() && !search_.spent()) {
    // Where recorded scores are handed out, one slice has to end before the next knows its own.
    const std::size_t first = ends.size();
    const std::size_t count = ledger.recorded(1).empty() ? slices.size() - first : 1;
    ends.resize(first + count);
    std::atomic<std::size_t> ended = slices.size();
    team_.each(count, [&](std::size_t index, std::size_t) {
      const std::size_t at = first + index;
      ends[at] = run_one(slices[at], run, {&ended, at});
      if (!ends[at].ends_run) return;
      std::size_t known = ended;
      while (at < known && !ended.compare_exchange_weak(known, at)) {
      }
    });
    for (std::size_t at = first; at < ends.size(); ++at) {
      ledger.absorb(search_.problem(), ends[at]);
      if (ends[at].ends_run) ends.resize(at + 1);
    }
    ledger.report_progress();
  }
  return ends;
}

}  // namespace placer

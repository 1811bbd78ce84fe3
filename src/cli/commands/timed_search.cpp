#include "cli/commands/timed_search.hpp"

#include <algorithm>
#include <chrono>

namespace placer {
namespace {

constexpr double kBoundShare = 0.25;
constexpr double kLeastSeconds = 1e-6;     // of a search
constexpr double kSummaryOverSingles = 2;  // times as long as all simulations of single devices
constexpr double kPageOverSingle = 150;    // times as long as one of them
constexpr double kMostOfPage = 0.75;       // of the time that is left

}  // namespace

Problem within_share(const Problem& problem, const Deadline& deadline) {
  return problem.within(deadline.share(kBoundShare));
}

double search_seconds(double left_seconds, double taken_seconds, std::size_t simulations,
                      Afterwards afterwards) {
  left_seconds -= kSummaryOverSingles * taken_seconds;
  if (afterwards == Afterwards::kPage && simulations > 0) {
    const double page_seconds = kPageOverSingle * taken_seconds / static_cast<double>(simulations);
    left_seconds -= std::min(page_seconds, kMostOfPage * left_seconds);
  }
  return std::max(left_seconds, kLeastSeconds);
}

void try_single_devices(Simulator& simulator, const Deadline& deadline, Afterwards afterwards,
                        SearchRequest& request, Yardsticks& yardsticks) {
  const auto begin = Deadline::Clock::now();
  std::optional<Scheduled>& best = yardsticks.at_hand;
  const auto rows = single_devices(simulator.problem(), [&](const Placement& placement) {
    Schedule schedule;
    const Score score = simulator.evaluate(placement, nullptr, &schedule);
    if (!best || score < best->schedule.score) best = {placement, std::move(schedule)};
    return score;
  });
  const std::chrono::duration<double> taken = Deadline::Clock::now() - begin;
  request.budget.seconds =
      search_seconds(deadline.seconds_left(), taken.count(),
                     std::min(rows.size(), simulator.problem().costs().kind_count()), afterwards);
  if (best) {
    request.at_hand = best->placement;
    request.at_hand_score = best->schedule.score;
  }
  yardsticks.single = best_that_fits(rows);
}

SearchResult search_with_progress(const Problem& problem, SearchRequest request, const Shown& shown,
                                  Keeper& keeper, Console& console) {
  Progress progress(shown.flags, shown.quiet, console, {.bound_ps = shown.bound_ps});
  request.interrupt = console.interrupt;
  request.observer = console.log;
  if (progress.style() != Progress::Style::kNone) {
    request.on_progress = [&](const SearchProgress& now) { progress.show(now); };
  }
  if (!keeper.is_idle()) {
    request.on_state = [&](const SearchState& state) { keeper.look(state); };
  }
  return run_search(problem, request);
}

}  // namespace placer

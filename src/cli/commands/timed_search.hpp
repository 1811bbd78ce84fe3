#pragma once

#include <optional>

#include "cli/commands/keeper.hpp"
#include "cli/report/deliver.hpp"
#include "cli/shared/progress.hpp"
#include "placer/base/deadline.hpp"
#include "placer/search/bounds.hpp"
#include "placer/search/run.hpp"

namespace placer {

/// The problem within a quarter of the time that is left, for its lower bounds.
Problem within_share(const Problem& problem, const Deadline& deadline);

/// What follows a search within its limit of time; a page or a trace, which takes as long.
enum class Afterwards { kSummary, kPage };

/// What is left to a search of `left_seconds`, when `simulations` of everything on one device have
/// taken `taken_seconds`: the less, the more what comes afterwards simulates, but at least half of
/// what a summary leaves.
double search_seconds(double left_seconds, double taken_seconds, std::size_t simulations,
                      Afterwards afterwards);

/// Simulates everything on each device. The best one that holds everything goes to `yardsticks`,
/// and the best of all, the answer at hand of `request`, with its schedule. The request's limit of
/// time becomes what is left to a search.
void try_single_devices(Simulator& simulator, const Deadline& deadline, Afterwards afterwards,
                        SearchRequest& request, Yardsticks& yardsticks);

/// How a search is shown while it goes on.
struct Shown {
  ProgressFlags flags;
  bool quiet = false;
  Picoseconds bound_ps = 0;  // a lower bound on the step time
};

/// Searches, shows how it goes, and hands what is found on the way to `keeper`.
SearchResult search_with_progress(const Problem& problem, SearchRequest request, const Shown& shown,
                                  Keeper& keeper, Console& console);

}  // namespace placer

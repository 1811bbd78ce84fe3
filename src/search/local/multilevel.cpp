#include "search/local/multilevel.hpp"

#include <algorithm>
#include <optional>

#include "search/core/ledger.hpp"
#include "search/groups/levels.hpp"
#include "search/local/anneal.hpp"
#include "search/local/starts.hpp"
#include "search/local/window_search.hpp"

namespace placer {
namespace {

constexpr std::size_t kFewest = 20;  // groups of the coarsest level, times 1 to 4
constexpr std::size_t kMostTimes = 4;
constexpr double kCoarsening = 2;
constexpr double kWindowShare = 0.2;  // of what a round has for the search's own groups
constexpr AnnealOptions kMild = {.temperature = 0.1, .final_temperature = 0.001};

/// Anneals from the best of the level before; on the first, of single devices, a list schedule and
/// the search's start. The best that `part` scored; empty once the budget is spent.
std::optional<Candidate> search_level(Search& part, std::optional<Candidate> start,
                                      const AnnealOptions& options) {
  if (!start) {
    if (part.start() != nullptr) part.evaluate(*part.start(), part.start_order());
    try_plain_starts(part);
    if (const Candidate* own = part.own_best()) start = *own;
  }
  if (start) anneal_from(part, start->placement, start->order, options);
  if (const Candidate* own = part.own_best()) start = *own;
  return start;
}

/// Anneals on each of `levels`, then on the search's own groups, after windows have been tried
/// there; always from the best.
void refine_once(Search& search, const std::vector<Problem>& levels) {
  for (std::size_t left = levels.size(); left > 0 && !search.spent(); --left) {
    Search part = search.part(1 / static_cast<double>(left + 1), levels[left - 1]);
    anneal_from(part, *part.best(), part.best_order(), kMild);
  }
  if (search.spent()) return;
  Search windows = search.part(kWindowShare);
  search_windows(windows, {*windows.best(), windows.best_order()});
  Search part = search.part(1);
  anneal_from(part, *part.best(), part.best_order(), kMild);
}

}  // namespace

void search_levels(Search& search, const std::vector<Problem>& levels,
                   const MultilevelOptions& options) {
  const double share = (1 - options.finest_share) / static_cast<double>(levels.size());
  double left = 1;
  std::optional<Candidate> best;
  for (std::size_t level = levels.size(); level-- > 0;) {
    Search part = search.part(share / left, levels[level]);
    best = search_level(part, std::move(best), {});
    const Problem& finer = level > 0 ? levels[level - 1] : search.problem();
    if (best) best->placement = *regroup(levels[level], best->placement, finer);
    left -= share;
  }
  Search part = search.part(1.0);
  search_level(part, std::move(best), {.temperature = 0.05});
}

void improve_levels(Search& search) {
  const std::size_t coarsest = kFewest * (1 + search.rng().below(kMostTimes));
  refine_once(search, coarse_levels(search.problem(), coarsest, kCoarsening, search.best(),
                                    [&] { return search.spent(); }));
}

}  // namespace placer

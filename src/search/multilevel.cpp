#include "search/multilevel.hpp"

#include <optional>

#include "search/anneal.hpp"
#include "search/ledger.hpp"
#include "search/levels.hpp"
#include "search/list_rules.hpp"
#include "search/starts.hpp"

namespace placer {
namespace {

/// Anneals from the best of the level before; on the first, of single devices, a list schedule and
/// the search's start. The best that `part` scored; empty once the budget is spent.
std::optional<Candidate> search_level(Search& part, std::optional<Candidate> start,
                                      const AnnealOptions& options) {
  if (!start) {
    if (part.start() != nullptr) part.evaluate(*part.start(), part.start_order());
    try_single_devices(part);
    const ListSchedule schedule = heft_schedule(part.problem(), {});
    part.evaluate(schedule.placement(), schedule.order());
    if (const Candidate* own = part.own_best()) start = *own;
  }
  if (start) anneal_from(part, start->placement, start->order, options);
  if (const Candidate* own = part.own_best()) start = *own;
  return start;
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

}  // namespace placer

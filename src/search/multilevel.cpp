#include "search/multilevel.hpp"

#include "search/anneal.hpp"
#include "search/ledger.hpp"
#include "search/levels.hpp"
#include "search/list_rules.hpp"
#include "search/starts.hpp"

namespace placer {
namespace {

/// The best of single devices, a list schedule and the search's start, on the coarsest level.
void try_starts(Search& part) {
  if (part.start() != nullptr) part.evaluate(*part.start(), part.start_order());
  try_single_devices(part);
  const ListSchedule schedule = heft_schedule(part.problem(), {});
  part.evaluate(schedule.placement(), schedule.order());
}

}  // namespace

std::optional<Candidate> search_levels(Search& search, const std::vector<Problem>& levels,
                                       std::optional<Candidate> start,
                                       const MultilevelOptions& options) {
  const double share = (1 - options.finest_share) / static_cast<double>(levels.size());
  double left = 1;
  const Problem* at = levels.empty() ? &search.problem() : &levels.back();
  if (start) start->placement = *regroup(search.problem(), start->placement, *at);
  for (std::size_t level = levels.size(); level-- > 0;) {
    Search part = search.part(share / left, levels[level]);
    if (!start) try_starts(part);
    if (const Candidate* own = part.own_best()) start = *own;
    if (start) anneal_from(part, start->placement, start->order, {});
    if (const Candidate* own = part.own_best()) start = *own;
    const Problem& finer = level > 0 ? levels[level - 1] : search.problem();
    if (start) start->placement = *regroup(levels[level], start->placement, finer);
    left -= share;
  }
  Search part = search.part(1.0);
  if (!start) try_starts(part);
  if (const Candidate* own = part.own_best()) start = *own;
  if (start) anneal_from(part, start->placement, start->order, {.temperature = 0.05});
  if (const Candidate* own = part.own_best()) start = *own;
  return start;
}

}  // namespace placer

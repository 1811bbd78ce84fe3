#include "search/local/live_starts.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "search/groups/mean_costs.hpp"
#include "search/lists/live_list.hpp"
#include "search/lists/ranks.hpp"
#include "search/local/memory_repair.hpp"

namespace placer {
namespace {

constexpr std::array kLimits = {0.95, 1.0, 0.9, 0.8, 0.85, 0.7, 0.6};
constexpr std::size_t kRepaired = 2;

}  // namespace

void try_live_lists(Search& search, double share) {
  const Problem& problem = search.problem();
  const std::vector<OpId>& in_program_order = problem.graph().program_order();
  std::vector<Candidate> tried;
  const auto try_list = [&](Search& on, const std::vector<OpId>& ops, double limit) {
    LiveList list = live_list(problem, ops, limit);
    const std::optional<Score> score = on.evaluate(list.placement, list.order);
    if (score) tried.push_back({std::move(list.placement), std::move(list.order), *score});
  };
  const std::span<const double> limits = kLimits;
  try_list(search, in_program_order, limits.front());
  if (search.spent()) return;
  Search part = search.part(share);
  const auto try_lists = [&](const std::vector<OpId>& ops, std::span<const double> some) {
    for (auto limit = some.begin(); limit != some.end() && !part.spent(); ++limit) {
      try_list(part, ops, *limit);
    }
  };
  try_lists(in_program_order, limits.subspan(1));
  if (part.spent()) return;
  try_lists(by_upward_rank(problem, mean_upward_ranks(problem, mean_costs(problem))), limits);
  std::ranges::stable_sort(
      tried, {}, [&](const Candidate& candidate) { return part.cost_seconds(candidate.score); });
  for (std::size_t i = 0; i < std::min(kRepaired, tried.size()) && !part.spent(); ++i) {
    if (tried[i].score.fits()) return;
    repair_memory(part, std::move(tried[i].placement));
  }
}

}  // namespace placer

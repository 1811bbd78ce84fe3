#include "search/local/live_starts.hpp"

#include <algorithm>
#include <array>
#include <functional>
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
  std::vector<double> by_program(problem.op_count());
  for (const OpId op : IdRange<OpId>(problem.op_count())) {
    by_program[op.index()] = -static_cast<double>(problem.graph().program_position(op));
  }
  std::vector<Candidate> tried;
  const auto try_list = [&](Search& on, const std::vector<double>& priorities, double limit) {
    LiveList list = live_list(problem, priorities, limit);
    const std::optional<Score> score = on.evaluate(list.placement, list.order);
    if (score) tried.push_back({std::move(list.placement), std::move(list.order), *score});
  };
  try_list(search, by_program, kLimits.front());
  if (search.spent()) return;
  Search part = search.part(share);
  const std::vector<double> by_rank = mean_upward_ranks(problem, mean_costs(problem));
  for (const std::vector<double>& priorities : {std::cref(by_program), std::cref(by_rank)}) {
    for (const double limit : kLimits) {
      if (part.spent()) return;
      if (tried.size() > 1 || limit != kLimits.front()) try_list(part, priorities, limit);
    }
  }
  std::ranges::stable_sort(
      tried, {}, [&](const Candidate& candidate) { return part.cost_seconds(candidate.score); });
  for (std::size_t i = 0; i < std::min(kRepaired, tried.size()) && !part.spent(); ++i) {
    if (tried[i].score.fits()) return;
    repair_memory(part, std::move(tried[i].placement));
  }
}

}  // namespace placer

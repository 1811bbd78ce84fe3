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

constexpr std::size_t kMostOps = 30'000;
constexpr std::array kLimits = {1.0, 0.95, 0.9, 0.85, 0.8, 0.7, 0.6};
constexpr std::size_t kRepaired = 2;

}  // namespace

void try_live_lists(Search& search) {
  const Problem& problem = search.problem();
  if (problem.op_count() > kMostOps) return;
  std::vector<double> by_program(problem.op_count());
  for (const OpId op : IdRange<OpId>(problem.op_count())) {
    by_program[op.index()] = -static_cast<double>(problem.graph().program_position(op));
  }
  const std::vector<double> by_rank = mean_upward_ranks(problem, mean_costs(problem));
  std::vector<Candidate> tried;
  for (const double limit : kLimits) {
    for (const std::vector<double>& priorities : {std::cref(by_program), std::cref(by_rank)}) {
      if (search.spent()) return;
      LiveList list = live_list(problem, priorities, limit);
      const std::optional<Score> score = search.evaluate(list.placement, list.order);
      if (score) tried.push_back({std::move(list.placement), std::move(list.order), *score});
    }
  }
  std::ranges::stable_sort(tried, {}, [&](const Candidate& candidate) {
    return search.cost_seconds(candidate.score);
  });
  for (std::size_t i = 0; i < std::min(kRepaired, tried.size()) && !search.spent(); ++i) {
    if (tried[i].score.fits()) return;
    repair_memory(search, std::move(tried[i].placement));
  }
}

}  // namespace placer

#include "search/local/strategies.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <stdexcept>

#include "search/core/group_changes.hpp"
#include "search/groups/levels.hpp"
#include "search/local/anneal.hpp"
#include "search/local/estimated_memory.hpp"
#include "search/local/estimated_search.hpp"
#include "search/local/memory_descent.hpp"
#include "search/local/multilevel.hpp"

namespace placer {
namespace {

constexpr std::size_t kManyGroups = 300;       // worth merging
constexpr std::size_t kEstimatedGroups = 100;  // of fewer, the simulator tries enough moves
constexpr std::size_t kCoarsest = 40, kOtherCoarsest = 3;
constexpr double kCoarsening = 3;
constexpr double kLikenessOfDescent = 0.1;

void levels(Search& search) {
  // Of several sizes, as the first levels decide where it ends.
  const std::size_t coarsest = kCoarsest + search.rng().below(kOtherCoarsest) * kCoarsest / 2;
  search_levels(search,
                coarse_levels(search.problem(), coarsest, kCoarsening, nullptr,
                              [&] { return search.spent(); }),
                {});
}

/// In an order that simulates faster than sequences do; how it ran is an order of ops.
void levels_by_rank(Search& search) {
  Search part = search.part_under(Order::kPriority);
  levels(part);
}

void anneal_in_estimate(Search& search) {
  if (!search.searches_orders()) return search_by_estimate(search);
  Search part = search.part_under(Order::kPriority);
  search_by_estimate(part);
}

/// Far from any local optimum, such as where memory is tight, no other gains as fast.
void descend(Search& search) {
  exchange_devices(search);
  if (search.spent()) return;
  if (EstimatedMemory::serves(search.problem())) {
    descend_in_memory(search);
  } else {
    refine(search, kLikenessOfDescent);
  }
}

/// So hot that it leaves what is known, and for as long as what begins anew.
void reheat(Search& search) { anneal_from(search, *search.best(), search.best_order(), {}); }

bool always(const Situation&) { return true; }
bool never(const Situation&) { return false; }

struct Row {
  Strategy strategy;
  bool (*suits)(const Situation&);
  bool (*leads)(const Situation&) = never;  // comes before the others
};

bool is_step(const Situation& at) { return at.is_step; }
bool is_tight(const Situation& at) { return at.is_tight; }

constexpr std::array kRows = {
    Row{{"estimate", Turns::kOpening, anneal_in_estimate},
        [](const Situation& at) {
          return at.is_step && at.is_far && at.groups >= kEstimatedGroups;
        }},
    Row{{"reheating", Turns::kHalving, reheat}, is_step, is_tight},
    Row{{"levels", Turns::kHalving, levels, true},
        always,
        [](const Situation& at) {
          return !at.searches_orders && (at.groups > kManyGroups || at.is_tight);
        }},
    Row{{"levels-by-rank", Turns::kHalving, levels_by_rank, true},
        [](const Situation& at) { return at.is_step && at.searches_orders; },
        [](const Situation& at) { return at.groups > kManyGroups || at.is_tight; }},
    Row{{"descent", Turns::kImproving, descend}, always},
    Row{{"levels-again", Turns::kImproving, improve_levels},
        is_step,
        [](const Situation& at) {
          return at.groups <= kManyGroups && !at.searches_orders && !at.is_tight;
        }},
};

constexpr auto kRowNames = [] {
  std::array<std::string_view, kRows.size()> names;
  for (std::size_t row = 0; row < kRows.size(); ++row) names[row] = kRows[row].strategy.name;
  return names;
}();

}  // namespace

std::span<const std::string_view> strategy_names() { return kRowNames; }

std::vector<Strategy> strategies_for(const Situation& situation, std::string_view without) {
  std::vector<Strategy> suiting;
  for (const Row& row : kRows) {
    if (!row.suits(situation) || row.strategy.name == without) continue;
    suiting.push_back(row.strategy);
    suiting.back().leads = row.leads(situation);
  }
  std::ranges::stable_sort(suiting, std::greater<>(), &Strategy::leads);
  return suiting;
}

SliceEnd run_strategy(const Problem& problem, const SearchRequest& request, const SliceTask& task) {
  const auto row = std::ranges::find(kRowNames, task.slice.strategy_name);
  if (row == kRowNames.end()) {
    throw std::logic_error("no strategy is called '" + task.slice.strategy_name + "'");
  }
  const Strategy& strategy = kRows[static_cast<std::size_t>(row - kRowNames.begin())].strategy;
  return SideBySide::run_task(problem, request, task,
                              [&](const Slice&, Search& search) { strategy.run(search); });
}

}  // namespace placer

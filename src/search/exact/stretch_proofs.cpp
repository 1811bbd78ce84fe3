#include "search/exact/stretch_proofs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "placer/search/optimizer.hpp"
#include "placer/search/run.hpp"

namespace placer {
namespace {

constexpr std::array<std::size_t, 2> kFewestGroups = {1, 8};  // of stretches, short and long ones
constexpr std::array<std::int64_t, 3> kNodes = {100, 1'000, 10'000};  // for each part

/// Whether it is proven.
bool prove(const Search& search, std::size_t part, std::int64_t nodes, const Deadline& until,
           Stretches& stretches) {
  const Problem& problem = stretches.parts()[part];
  SearchRequest request;
  request.optimizer = &find_optimizer("branch-and-bound");
  request.order = Order::kGiven;  // in any order of ops
  request.budget.evaluations = nodes;
  request.budget.seconds = until.seconds_left();
  const SearchResult result = run_search(problem, request);
  stretches.raise(part, result.bound_ps.value_or(0));
  search.observer().tell(EventLevel::kDebug, "auto", [&] {
    return fmt::format("{} ops to '{}' take at least {:.6g} s{}", problem.op_count(),
                       problem.graph().ops().back().name, to_seconds(stretches.least_ps(part)),
                       result.proven ? ", proven" : "");
  });
  return result.proven;
}

}  // namespace

void prove_stretches(Search& search, const Deadline& until, Stretches& stretches) {
  std::vector<char> is_proven(stretches.parts().size(), 0);
  for (const std::int64_t nodes : kNodes) {
    for (std::size_t part = 0; part < is_proven.size(); ++part) {
      if (is_proven[part] != 0) continue;
      const std::size_t ops = stretches.parts()[part].op_count();
      const double share =
          static_cast<double>(ops) / static_cast<double>(search.problem().op_count());
      const double work = static_cast<double>(nodes) * share;
      if (search.spent() || until.passed() || work > static_cast<double>(search.evaluations_left()))
        return;
      is_proven[part] = prove(search, part, nodes, until, stretches) ? 1 : 0;
      search.count_work(std::max<std::int64_t>(1, static_cast<std::int64_t>(work)));
    }
  }
}

LowerBounds bounds_by_stretches(Search& search, double share, const LowerBounds& known) {
  Stretches stretches(search.problem(), MemoryFit(search.problem()), kFewestGroups);
  if (stretches.list().empty()) return known;
  Search part = search.part(share);
  prove_stretches(part, search.problem().deadline().share(share), stretches);
  const LowerBounds found = lower_bounds(search, stretches);
  if (!found.infeasible.empty() || found.best_ps() <= known.best_ps()) return known;
  search.know_bound(found.best_ps());
  return found;
}

}  // namespace placer

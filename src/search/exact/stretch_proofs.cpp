#include "search/exact/stretch_proofs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "placer/search/optimizer.hpp"
#include "placer/search/run.hpp"

namespace placer {
namespace {

constexpr std::array<std::int64_t, 4> kNodes = {100, 1'000, 10'000, 100'000};  // for each part

/// Whether it is proven.
bool prove(const Search& search, std::size_t part, std::int64_t nodes, Stretches& stretches) {
  const Problem& problem = stretches.parts()[part];
  SearchRequest request;
  request.optimizer = &find_optimizer("branch-and-bound");
  request.order = Order::kGiven;  // in any order of ops
  request.budget.evaluations = nodes;
  request.budget.seconds = search.problem().deadline().seconds_left();
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

void prove_stretches(Search& search, Stretches& stretches) {
  std::vector<char> is_proven(stretches.parts().size(), 0);
  for (const std::int64_t nodes : kNodes) {
    for (std::size_t part = 0; part < is_proven.size(); ++part) {
      if (is_proven[part] != 0) continue;
      const std::size_t ops = stretches.parts()[part].op_count();
      const double share =
          static_cast<double>(ops) / static_cast<double>(search.problem().op_count());
      const double work = static_cast<double>(nodes) * share;
      if (search.spent() || work > static_cast<double>(search.evaluations_left())) return;
      is_proven[part] = prove(search, part, nodes, stretches) ? 1 : 0;
      search.count_work(std::max<std::int64_t>(1, static_cast<std::int64_t>(work)));
    }
  }
}

}  // namespace placer

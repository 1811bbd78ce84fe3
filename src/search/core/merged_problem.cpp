#include "search/core/merged_problem.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "placer/search/grouping.hpp"
#include "search/groups/levels.hpp"

namespace placer {
std::size_t wanted_groups(const Problem& problem, const SearchRequest& request) {
  const std::size_t all = problem.groups().size();
  switch (request.grouping.kind) {
    case Grouping::Kind::kNone:
      return all;
    case Grouping::Kind::kCount:
      return std::min(all, request.grouping.count);
    case Grouping::Kind::kAuto:
      break;
  }
  const std::size_t most = request.optimizer->info.max_groups;
  return most == 0 ? all : std::min(all, most);
}

Problem merged_problem(const Problem& problem, const SearchRequest& request, const Ledger& ledger) {
  const std::size_t wanted = wanted_groups(problem, request);
  if (wanted == problem.groups().size()) return problem;
  const double begin_seconds = ledger.wall_seconds();
  std::vector<GroupId> group_of = merge_groups(problem, wanted);
  if (request.start) group_of = split_by_device(problem, std::move(group_of), *request.start);
  Problem merged = problem.with_groups(std::move(group_of));
  request.observer.tell(EventLevel::kInfo, "search", [&] {
    return fmt::format("merged {} groups to {} ({} wanted) in {:.3g} s", problem.groups().size(),
                       merged.groups().size(), wanted, ledger.wall_seconds() - begin_seconds);
  });
  return merged;
}

}  // namespace placer

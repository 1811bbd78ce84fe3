#include "cli/commands/short_search.hpp"

#include <utility>
#include <vector>

#include "cli/shared/request.hpp"

namespace placer {

std::optional<Problem> problem_on(const Problem& whole, const Topology& topology) {
  std::vector<GroupId> groups;
  for (const OpId op : IdRange<OpId>(whole.op_count())) groups.push_back(whole.groups().of(op));
  try {
    return Problem(whole.graph(), topology).with_groups(std::move(groups)).with_goal(whole.goal());
  } catch (const Error&) {
    return std::nullopt;
  }
}

SearchResult searched_shortly(const Problem& problem, const ShortSearch& search,
                              std::optional<Placement> start) {
  SearchFlags flags;
  flags.evaluations = search.evaluations;
  flags.order = search.order;
  SearchRequest request = make_request(flags, problem);
  request.optimizer = &find_optimizer(kStandardAlgorithm);
  request.options = completed_options(request);
  request.seed = search.seed;
  request.start = std::move(start);
  request.interrupt = search.interrupt;
  request.on_progress = search.on_progress;
  return run_search(problem, request);
}

}  // namespace placer

#include "support/searches.hpp"

#include <algorithm>

#include "support/problems.hpp"

namespace placer::testing {
namespace {

std::vector<Op> ops_of(std::size_t count, const decltype(Op::seconds)& seconds) {
  std::vector<Op> ops;
  for (std::size_t i = 0; i < count; ++i) {
    ops.push_back(timed_op("op" + std::to_string(i), 1));
    ops.back().seconds = seconds;
  }
  return ops;
}

}  // namespace

SearchRequest request_for(std::string_view algorithm, std::int64_t evaluations) {
  SearchRequest request;
  request.optimizer = &find_optimizer(algorithm);
  request.budget.evaluations = evaluations;
  request.grouping.kind = Grouping::Kind::kNone;
  // Small networks that learn fast, for the time that tests may take.
  const OptionValues small = {
      {"preset", std::string("tuned")}, {"hidden", std::int64_t{16}}, {"learning-rate", 0.005}};
  const auto& options = request.optimizer->options;
  const auto has = [&](std::string_view name) {
    return std::ranges::count(options, name, &OptionInfo::name) > 0;
  };
  if (has("preset") && !has("advantage")) {  // policies by tables have no network
    for (const OptionInfo& option : options) {
      if (const auto at = small.find(option.name); at != small.end()) request.options.insert(*at);
    }
  }
  return request;
}

SearchResult search_with(const Problem& problem, void (*function)(Search&),
                         std::int64_t evaluations) {
  const Optimizer optimizer = make_optimizer({}, function);
  SearchRequest request;
  request.optimizer = &optimizer;
  request.budget.evaluations = evaluations;
  return run_search(problem, request);
}

std::vector<Optimizer> runnable_optimizers() {
  std::vector<Optimizer> runnable;
  for (const Optimizer& optimizer : all_optimizers()) {
    if (optimizer.info.unavailable.empty() && serves(optimizer.info, {}))
      runnable.push_back(optimizer);
  }
  return runnable;
}

Problem fast_and_slow(std::size_t ops) {
  return Problem(graph_of(ops_of(ops, {{"gpu:0", 1}, {"gpu:1", 2}}), {}), alike());
}

Problem three_speeds(std::size_t ops) {
  return Problem(graph_of(ops_of(ops, {{"gpu:0", 1}, {"gpu:1", 2}, {"gpu:2", 3}}), {}),
                 alike({.devices = 3}));
}

}  // namespace placer::testing

#include <chrono>

#include "cli/commands/commands.hpp"
#include "cli/commands/given_placement.hpp"
#include "cli/commands/plan_files.hpp"
#include "cli/report/deliver.hpp"

namespace placer {
namespace {

SearchResult scored(const GivenPlacement& given) {
  const auto begin = std::chrono::steady_clock::now();
  SearchResult result;
  result.placement = given.file.placement;
  result.groups = given.loaded.problem.groups().size();
  result.order = given.sequence();
  result.score =
      Simulator(given.loaded.problem, given.order).evaluate(result.placement, result.order);
  result.evaluations = 1;
  result.wall_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  result.seconds_to_best = result.wall_seconds;
  result.history = {{1, result.wall_seconds, result.score}};
  return result;
}

int simulate(const Arguments& arguments, Console& console) {
  const auto flags = read_flags(kPlacementFlags, arguments);
  const auto outputs = read_flags(kOutputFlags, arguments);
  check_placement_flags("simulate", flags);
  check_outputs(outputs, placement_files(arguments, flags));
  const GivenPlacement given = load_placement(arguments, flags, console);
  const LoadedProblem& loaded = given.loaded;
  SearchFlags search;
  search.order = given.order;

  console.doing = "simulating " + loaded.graph_name;
  Report report =
      make_report(loaded, given.order, scored(given),
                  {lower_bounds(loaded.problem), best_single_device(loaded.problem, given.order)});
  report.algorithm = "simulate";
  report.file_step_seconds = given.file.step_seconds;
  report.file_rules = given.rules;
  report.others = other_placements(loaded, given.order, std::nullopt);
  deliver(report, search, outputs, console);
  return exit_code_of(report, false);
}

}  // namespace

Command simulate_command() {
  return {
      .name = "simulate",
      .summary = "score a given placement",
      .positionals = {{"GRAPH", "the op graph, a placer-graph file or one that import recognises"}},
      .flags = flags_of(kPlacementFlags, kProblemFlags, kImportOptions, kOutputFlags),
      .run = simulate};
}

}  // namespace placer

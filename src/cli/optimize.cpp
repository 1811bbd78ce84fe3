#include <algorithm>
#include <ostream>

#include "cli/commands.hpp"
#include "cli/deliver.hpp"
#include "cli/progress.hpp"
#include "placer/io/placement_file.hpp"

namespace placer {
namespace {

struct OptimizeFlags {
  std::optional<std::string> algo;
  std::optional<std::int64_t> seed;
  std::optional<std::string> start;
  std::optional<std::string> config;
};
constexpr std::array<FlagRow<OptimizeFlags>, 4> kOptimizeFlags = {
    text_flag("algo", 0, &OptimizeFlags::algo, "NAME",
              "the algorithm, auto by default; 'placer algorithms' lists them"),
    flag("seed", &OptimizeFlags::seed, 0, "of the random numbers; 1 by default"),
    text_flag("start", 0, &OptimizeFlags::start, "FILE",
              "a placement to start from; never returns a worse one"),
    text_flag("config", 0, &OptimizeFlags::config, "FILE",
              "a placer-config file, or a placement file whose request is run again; flags win"),
};

SearchRequest request_of(const OptimizeFlags& flags, const SearchFlags& search,
                         const OptionValues& options, const Problem& problem) {
  SearchRequest request = make_request(search, problem);
  request.optimizer = &find_optimizer(flags.algo.value_or(kStandardAlgorithm));
  request.options = checked_options(request.optimizer->options, options);
  request.seed = static_cast<std::uint64_t>(flags.seed.value_or(1));
  if (request.optimizer->info.proves && !search.evaluations && !search.time_limit) {
    request.budget.evaluations = Budget().evaluations;
  }
  return request;
}

SearchResult search_with_progress(const Problem& problem, SearchRequest request,
                                  const Arguments& arguments, bool quiet, Console& console) {
  Progress progress(read_flags(kProgressFlags, arguments), quiet, console);
  request.interrupt = console.interrupt;
  if (progress.style() != Progress::Style::kNone) {
    request.on_progress = [&](const SearchProgress& now) { progress.show(now); };
  }
  return run_search(problem, request);
}

void read_start(const std::string& file, const Problem& problem, SearchRequest& request) {
  PlacementFile start = read_placement(file, problem);
  request.start = std::move(start.placement);
  if (start.sequences && request.order == Order::kGiven) {
    request.start_order = op_order_of(problem, *start.sequences);
  }
}

void check_files(const Arguments& arguments, const OptimizeFlags& flags,
                 const OutputFlags& outputs) {
  check_outputs(outputs, {{"GRAPH", arguments.positionals.at(0)},
                          {"--devices", read_flags(kProblemFlags, arguments).devices},
                          {"--config", flags.config},
                          {"--start", flags.start}});
}

int optimize(const Arguments& arguments, Console& console) {
  const auto flags = read_flags(kOptimizeFlags, arguments);
  const auto outputs = read_flags(kOutputFlags, arguments);
  auto search = read_flags(kSearchFlags, arguments);
  check_files(arguments, flags, outputs);
  const LoadedProblem loaded =
      load_problem(arguments.positionals.at(0), read_flags(kProblemFlags, arguments));
  SearchRequest request = request_of(flags, search, arguments.options, loaded.problem);
  if (!search.time_limit && request.budget.evaluations != Budget().evaluations) {
    search.evaluations = request.budget.evaluations;
  }
  if (flags.start) read_start(*flags.start, loaded.problem, request);

  SearchResult found =
      search_with_progress(loaded.problem, request, arguments, outputs.quiet, console);
  const bool interrupted = console.interrupt != nullptr && *console.interrupt;
  Report report = make_report(loaded, request.order, std::move(found));
  report.searched = true;
  report.from_start = request.start.has_value();
  report.algorithm = request.optimizer->name;
  report.seed = static_cast<std::int64_t>(request.seed);
  report.options = request.options;
  report.target_ps = request.budget.target_ps;
  deliver(report, search, outputs, console);
  return exit_code_of(report, interrupted);
}

}  // namespace

Command optimize_command() {
  return {
      .name = "optimize",
      .summary = "search for the placement with the shortest step time",
      .positionals = {{"GRAPH", "the op graph, a placer-graph file"}},
      .flags = flags_of(kOptimizeFlags, kProblemFlags, kSearchFlags, kOutputFlags, kProgressFlags),
      .takes_algorithm_options = true,
      .interruptible = true,
      .run = optimize};
}

}  // namespace placer

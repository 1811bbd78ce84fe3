#include "cli/commands/optimize_pipeline.hpp"

#include <fmt/format.h>

#include "cli/report/step_report.hpp"
#include "placer/search/pipelines.hpp"

namespace placer {
namespace {

constexpr const char* kAllSets = "dp";
constexpr const char* kOneOrder = "interval-dp";

struct AlgoFlag {
  std::optional<std::string> algo;
};
constexpr std::array<FlagRow<AlgoFlag>, 1> kAlgoFlag = {
    text_flag("algo", 0, &AlgoFlag::algo, "NAME", "")};

std::string algorithm_of(const Arguments& arguments) {
  const std::string algorithm = read_flags(kAlgoFlag, arguments).algo.value_or(kAllSets);
  if (algorithm == kAllSets || algorithm == kOneOrder) return algorithm;
  throw Error(fmt::format("--algo: expected {} or {} with --microbatches, found {}", kAllSets,
                          kOneOrder, algorithm));
}

void check_search(const SearchFlags& search) {
  const auto expect_none = [](bool is_given, const char* flag) {
    if (!is_given) return;
    throw Error(fmt::format("{}: expected none with --microbatches, found one", flag));
  };
  expect_none(search.evaluations.has_value(), "--evaluations");
  expect_none(search.target.has_value(), "--target");
  expect_none(search.order.has_value(), "--order");
}

PipelineRequest request_of(const PipelineFlags& flags, const std::string& algorithm,
                           const Problem& problem) {
  PipelineRequest request = {.graphs = *flags.microbatches,
                             .schedule = flags.schedule.value_or(usual_schedule(problem.graph())),
                             .all_sets = algorithm == kAllSets};
  if (flags.replicas) request.most_replicas = static_cast<std::size_t>(*flags.replicas);
  return request;
}

}  // namespace

bool asks_for_pipeline(const Arguments& arguments) {
  const auto flags = read_flags(kPipelineFlags, arguments);
  if (flags.microbatches) return true;
  if (flags.replicas || flags.schedule) {
    throw Error(fmt::format("--{}: expected --microbatches N with it, found none",
                            flags.replicas ? "replicas" : "schedule"));
  }
  return false;
}

int optimize_pipeline(const Arguments& arguments, Console& console) {
  const auto flags = read_flags(kPipelineFlags, arguments);
  const auto outputs = read_flags(kOutputFlags, arguments);
  const auto search = read_flags(kSearchFlags, arguments);
  const std::string algorithm = algorithm_of(arguments);
  check_search(search);
  check_outputs(outputs, problem_files(arguments));
  const ProblemFlags wanted = problem_flags(arguments);
  if (wanted.objective.value_or(Objective::kLatency) != Objective::kThroughput) {
    throw Error(fmt::format("--objective: expected throughput with --microbatches, found {}",
                            name_of(wanted.objective.value_or(Objective::kLatency))));
  }
  console.doing = "reading " + arguments.positionals.at(0);
  LoadedProblem loaded = load_problem(arguments.positionals.at(0), wanted, console.log);
  const Deadline deadline(console.begin, search.time_limit.value_or(Budget().seconds),
                          console.interrupt);
  console.doing = "searching with " + algorithm;
  const auto found = best_pipeline(loaded.problem.within(deadline),
                                   request_of(flags, algorithm, loaded.problem), console.log);
  if (!found) {
    console.log.tell(EventLevel::kError, "", [&] {
      return fmt::format(
          "{}: expected a pipeline of stages that fit, found none on the devices that its ops may "
          "use, in the time and memory that there is",
          loaded.graph_name);
    });
    return kNothingFits;
  }
  Report report = pipelined_report(loaded, found->placement, found->batches);
  report.deadline = deadline;
  report.pipeline->bottleneck_ps = found->bottleneck_ps;
  report.algorithm = algorithm;
  deliver(report, search, outputs, console);
  return exit_code_of(report, console.interrupt != nullptr && *console.interrupt);
}

}  // namespace placer

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "cli/commands/commands.hpp"
#include "cli/commands/given_placement.hpp"
#include "cli/commands/plan_files.hpp"
#include "cli/report/deliver.hpp"
#include "cli/shared/regression.hpp"
#include "placer/io/files.hpp"

namespace placer {
namespace {

/// A step of several micro-batches, instead of one of the graph.
struct BatchFlags {
  std::optional<std::int64_t> microbatches;
  std::optional<PipelineSchedule> schedule;
};
constexpr std::array<FlagRow<BatchFlags>, 2> kBatchFlags = {
    flag("microbatches", &BatchFlags::microbatches, 1,
         "a step of this many micro-batches, each of which is the graph, in a pipeline of the "
         "placement's devices; updates run once, at the end"),
    choice_flag<&BatchFlags::schedule>(
        "schedule",
        "in which order a stage takes the micro-batches; 1f1b by default where the graph has "
        "backward ops, else gpipe"),
};

/// What the step may not be slower than.
struct GuardFlags {
  std::optional<std::string> target, baseline;
};
constexpr std::array<FlagRow<GuardFlags>, 2> kGuardFlags = {
    text_flag("target", 0, &GuardFlags::target, "SECONDS|GAP%",
              "exit 3 where the step is slower than this, or than so far above the lower bound"),
    text_flag("baseline", 0, &GuardFlags::baseline, "FILE",
              "exit 3 where the step is slower than this result says, a placement file or what "
              "--json printed"),
};

/// A result that is guarded.
struct Baseline {
  std::string title;
  Score score;
  double tolerance = 0;
};

std::optional<Baseline> read_guarded(const GuardFlags& flags, const ToleranceFlags& tolerance) {
  const double share = tolerance_of(tolerance);
  if (!flags.baseline) {
    if (tolerance.tolerance)
      throw Error("--tolerance: expected --baseline FILE with it, found none");
    return std::nullopt;
  }
  return Baseline{file_title(*flags.baseline), read_score(*flags.baseline), share};
}

/// Whether the guards hold; what does not is told in one line each.
bool hold(const std::optional<Baseline>& baseline, const Report& report, const Console& console) {
  const Score& score = report.schedule.score;
  const std::string& graph = report.loaded->graph_name;
  const bool misses_target = report.target_ps && score.step_ps > *report.target_ps;
  if (misses_target) {
    console.log.tell(EventLevel::kError, "", [&] {
      return fmt::format("{} misses its target: {}", graph,
                         worse_text(score, {.step_ps = *report.target_ps}, 0));
    });
  }
  if (!baseline || !is_worse(score, baseline->score, baseline->tolerance)) return !misses_target;
  console.log.tell(EventLevel::kError, "", [&] {
    return fmt::format("{} has become worse than {} says: {}", graph, baseline->title,
                       worse_text(score, baseline->score, baseline->tolerance));
  });
  return false;
}

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

void check_microbatches(const BatchFlags& flags, const PlacementFlags& placement,
                        const ProblemFlags& own, const OutputFlags& outputs) {
  if (flags.schedule && !flags.microbatches) {
    throw Error("--schedule: expected --microbatches N with it, found none");
  }
  if (!flags.microbatches) return;
  if (placement.order) {
    throw Error("--order: expected none with --microbatches, as the schedule says the order");
  }
  if (own.objective.value_or(Objective::kLatency) != Objective::kLatency) {
    throw Error(fmt::format("--objective: expected latency with --microbatches, found {}",
                            name_of(*own.objective)));
  }
  if (outputs.output) {
    throw Error(
        "--output: expected none with --microbatches, as a placement file is of one micro-batch");
  }
}

MicroBatches batches_of(const BatchFlags& flags, const Problem& problem) {
  const bool has_backward = std::ranges::any_of(problem.graph().ops(), &Op::backward);
  const PipelineSchedule usual = has_backward ? PipelineSchedule::k1F1B : PipelineSchedule::kGpipe;
  return {*flags.microbatches, flags.schedule.value_or(usual)};
}

Report step_report(const GivenPlacement& given) {
  const LoadedProblem& loaded = given.loaded;
  Report report =
      make_report(loaded, given.order, scored(given),
                  {lower_bounds(loaded.problem), best_single_device(loaded.problem, given.order)});
  report.file_step_seconds = given.file.step_seconds;
  report.file_rules = given.rules;
  report.others = other_placements(loaded, given.order, std::nullopt);
  return report;
}

/// A report on a step of several micro-batches, each of which is `given`, which becomes the whole
/// step.
Report pipeline_report(const BatchFlags& flags, GivenPlacement& given) {
  LoadedProblem& loaded = given.loaded;
  Goal goal = loaded.problem.goal();
  goal.objective = Objective::kLatency;  // whatever the placement was found for
  const Problem one = loaded.problem.with_goal(std::move(goal));
  const MicroBatches batches = batches_of(flags, one);
  MicroBatchPipeline pipeline = pipelined(one, given.file.placement, batches);
  loaded.problem = std::move(pipeline.problem);
  given.order = Order::kGiven;
  given.file.sequences = std::move(pipeline.sequences);
  Report report = make_report(loaded, Order::kGiven, scored(given),
                              {lower_bounds(loaded.problem), best_single_device(one, batches)});
  report.pipeline = PipelineReport{batches, std::move(pipeline.stages)};
  return report;
}

int simulate(const Arguments& arguments, Console& console) {
  const auto flags = read_flags(kPlacementFlags, arguments);
  const auto batches = read_flags(kBatchFlags, arguments);
  const auto outputs = read_flags(kOutputFlags, arguments);
  check_placement_flags("simulate", flags);
  const auto guards = read_flags(kGuardFlags, arguments);
  std::vector<NamedFile> read = placement_files(arguments, flags);
  read.push_back({"--baseline", guards.baseline});
  check_outputs(outputs, read);
  check_microbatches(batches, flags, problem_flags(arguments), outputs);
  const auto baseline = read_guarded(guards, read_flags(kToleranceFlags, arguments));
  GivenPlacement given = load_placement(arguments, flags, console);
  SearchFlags search;
  search.order = given.order;

  console.doing = "simulating " + given.loaded.graph_name;
  Report report = batches.microbatches ? pipeline_report(batches, given) : step_report(given);
  report.algorithm = "simulate";
  if (guards.target) report.target_ps = parse_target(*guards.target, given.loaded.problem);
  deliver(report, search, outputs, console);
  const bool holds = hold(baseline, report, console);
  const int code = exit_code_of(report, false);
  return code == kDone && !holds ? kMissed : code;
}

}  // namespace

Command simulate_command() {
  return {
      .name = "simulate",
      .summary = "score a given placement",
      .positionals = {{"GRAPH", "the op graph, a placer-graph file or one that import recognises"}},
      .flags = flags_of(kPlacementFlags, kBatchFlags, kGuardFlags, kToleranceFlags, kProblemFlags,
                        kImportOptions, kOutputFlags),
      .examples = {"placer simulate graph.json --placement best.json --report step.html",
                   "placer simulate graph.json --placement best.json --baseline best.json"},
      .run = simulate};
}

}  // namespace placer

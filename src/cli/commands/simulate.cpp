#include <fmt/format.h>

#include "cli/commands/batch_flags.hpp"
#include "cli/commands/commands.hpp"
#include "cli/commands/given_placement.hpp"
#include "cli/commands/plan_files.hpp"
#include "cli/report/deliver.hpp"
#include "cli/report/step_report.hpp"
#include "cli/shared/regression.hpp"
#include "placer/io/files.hpp"

namespace placer {
namespace {

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
  StoredResult result;
  double tolerance = 0;
};

std::optional<Baseline> read_guarded(const GuardFlags& flags, const ToleranceFlags& tolerance) {
  const double share = tolerance_of(tolerance);
  if (!flags.baseline) {
    if (tolerance.tolerance)
      throw Error("--tolerance: expected --baseline FILE with it, found none");
    return std::nullopt;
  }
  return Baseline{file_title(*flags.baseline), read_result(*flags.baseline), share};
}

/// `is_pipeline`: of a step of several micro-batches, whatever the objective is.
void check_baseline(const Baseline& baseline, const LoadedProblem& loaded, bool is_pipeline) {
  check_graph(baseline.result, baseline.title, loaded.graph_name, loaded.problem.graph());
  if (is_pipeline) return;
  const Objective simulated = loaded.problem.goal().objective;
  const Objective stored = baseline.result.objective.value_or(simulated);
  if (stored == simulated) return;
  throw Error(fmt::format("{}: objective: expected {}, which is what is simulated, found '{}'",
                          baseline.title, name_of(simulated), name_of(stored)));
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
  if (!baseline || !is_worse(score, baseline->result.score, baseline->tolerance))
    return !misses_target;
  console.log.tell(EventLevel::kError, "", [&] {
    return fmt::format("{} has become worse than {} says: {}", graph, baseline->title,
                       worse_text(score, baseline->result.score, baseline->tolerance));
  });
  return false;
}

void check_order(const PlacementFlags& placement) {
  if (!placement.order) return;
  throw Error("--order: expected none with --microbatches, as the schedule says the order");
}

void check_microbatches(const BatchFlags& flags, const PlacementFlags& placement,
                        const ProblemFlags& own, const OutputFlags& outputs) {
  if (!flags.microbatches) return;
  check_order(placement);
  if (own.objective.value_or(Objective::kLatency) != Objective::kLatency) {
    throw Error(fmt::format("--objective: expected latency with --microbatches, found {}",
                            name_of(*own.objective)));
  }
  if (outputs.output) {
    throw Error(
        "--output: expected none with --microbatches, as a placement file is of one micro-batch");
  }
}

/// What the flags say, else what the placement's file does; empty for a single step of the graph.
std::optional<MicroBatches> batches_of(const BatchFlags& flags, const GivenPlacement& given) {
  std::optional<MicroBatches> batches = given.file.pipeline;
  if (!batches && flags.microbatches) {
    batches = {*flags.microbatches, usual_schedule(given.loaded.problem.graph())};
  }
  if (!batches && flags.schedule) {
    throw Error("--schedule: expected --microbatches N with it, found none");
  }
  if (!batches) return batches;
  batches->count = flags.microbatches.value_or(batches->count);
  batches->schedule = flags.schedule.value_or(batches->schedule);
  return batches;
}

Report step_report(const GivenPlacement& given) {
  const LoadedProblem& loaded = given.loaded;
  Simulator simulator(loaded.problem, given.order);
  SearchResult found = scored(simulator, given.file.placement, given.sequence());
  Report report = make_report(
      loaded, simulator, std::move(found),
      {lower_bounds(loaded.problem, {}, given.order), best_that_fits(single_devices(simulator))});
  report.file_step_seconds = given.file.step_seconds;
  report.file_rules = given.rules;
  report.others = other_placements(loaded, given.order, std::nullopt);
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
  const std::optional<MicroBatches> several = batches_of(batches, given);
  if (baseline) check_baseline(*baseline, given.loaded, several.has_value());
  if (several) check_order(flags);
  Report report =
      several ? pipelined_report(given.loaded, given.file.placement, *several) : step_report(given);
  report.algorithm = "simulate";
  if (guards.target) {
    report.target_ps = parse_target(*guards.target, given.loaded.problem, given.order);
  }
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

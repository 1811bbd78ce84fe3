#include <fmt/format.h>

#include <algorithm>

#include "cli/commands/answer_files.hpp"
#include "cli/commands/commands.hpp"
#include "cli/commands/keeper.hpp"
#include "cli/commands/one_rank.hpp"
#include "cli/commands/optimize_flags.hpp"
#include "cli/commands/optimize_pipeline.hpp"
#include "cli/commands/plan_files.hpp"
#include "cli/commands/start_file.hpp"
#include "cli/commands/timed_search.hpp"
#include "cli/measure/measure.hpp"
#include "cli/measure/rank_rounds.hpp"
#include "cli/ranks/rank_scores.hpp"
#include "cli/ranks/rank_slices.hpp"
#include "cli/ranks/serving.hpp"
#include "cli/report/deliver.hpp"
#include "cli/report/notices.hpp"
#include "cli/report/policy_errors.hpp"
#include "cli/shared/progress.hpp"
#include "placer/io/checkpoint_file.hpp"
#include "placer/io/files.hpp"
#include "placer/io/placement_file.hpp"
#include "placer/io/policy_file.hpp"
#include "placer/search/mps.hpp"

namespace placer {
namespace {

constexpr std::size_t kManyOps = 200'000;  // an answer is not simulated twice, which can be felt

/// What `read` reads of a file that may be given.
template <class Read>
auto read_if_given(const std::optional<std::string>& file, Read read) {
  return file ? std::optional(read(*file)) : std::nullopt;
}

/// run(), with the files of the flags in front of what is wrong with them.
template <class Run>
auto with_request_files(const OptimizeFlags& flags, Run run) {
  return with_file(flags.resume,
                   "checkpoint: ", [&] { return with_policy_file(flags.policy_in, run); });
}

/// All of a report that is known before the search.
void describe(const SearchRequest& request, const LoadedProblem& loaded, Report& report) {
  report.loaded = &loaded;
  report.order = request.order;
  report.searched = true;
  report.from_start = request.start.has_value();
  report.from_policy = request.policy_in != nullptr;
  report.algorithm = request.optimizer->name;
  report.seed = static_cast<std::int64_t>(request.seed);
  report.options = request.options;
  report.target_ps = request.budget.target_ps;
}

/// Searches, keeping what is found on the way and the checkpoint.
SearchResult search_and_keep(const SearchRequest& request, const Report& known,
                             const LowerBounds& bounds, const Asked& asked,
                             const Arguments& arguments, Console& console) {
  const Problem& problem = known.loaded->problem;
  const auto& checkpoint = asked.flags.checkpoint;
  const RequestFacts facts = checkpoint ? request_facts(problem, request) : RequestFacts();
  Keeper keeper(console);
  if (asked.outputs.output) keep_placement(known, asked.search, *asked.outputs.output, keeper);
  if (checkpoint) keep_checkpoint(facts, *checkpoint, keeper);
  console.doing = "searching with " + request.optimizer->name;
  SearchResult found = with_request_files(asked.flags, [&] {
    return search_with_progress(
        problem, request,
        {read_flags(kProgressFlags, arguments), asked.outputs.quiet, bounds.best_ps()}, keeper,
        console);
  });
  if (checkpoint) write_output(*checkpoint, write_checkpoint(facts, found.scores), console);
  return found;
}

ScoreJob score_job(const Problem& problem, const SearchRequest& request) {
  return {.problems = std::span(&problem, 1),
          .order = request.order,
          .threads = request.threads,
          .interrupt = request.interrupt};
}

/// The same, with its slices or batches on all ranks, where there are several.
SearchResult search_on_ranks(SearchRequest request, const Report& known, const LowerBounds& bounds,
                             const Asked& asked, const Arguments& arguments, Console& console) {
  const Problem& problem = known.loaded->problem;
  const OptimizerInfo& info = request.optimizer->info;
  std::optional<RankSlices> slices;
  std::optional<RankScores> scores;
  request.interrupt = console.interrupt;
  request.observer = console.log;
  if (console.ranks != nullptr && is_shared(info)) {
    if (info.in_slices) {
      request.slices = &slices.emplace(*console.ranks, problem, request);
    } else {
      request.scorer =
          &scores.emplace(*console.ranks, score_job(problem, request), console.log).of(0);
    }
  } else {
    warn_of_one_rank(request.optimizer->name, console);
  }
  return search_and_keep(request, known, bounds, asked, arguments, console);
}

void serve(const Arguments& arguments, const Asked& asked, const Console& console) {
  if (asks_for_pipeline(arguments)) return;
  const OptimizerInfo& info = algorithm_of(asked.flags).info;
  const auto measure = read_flags(kMeasureFlags, arguments);
  if (!is_shared(info) && !measure.measure) return;
  const std::optional<StartFile> start = read_start_file(asked.flags.start);
  const LoadedProblem loaded = load_problem_of(arguments, start, console.log);
  SearchRequest request = request_of(asked, arguments.options, nullptr, loaded.problem, console);
  if (start) set_start(*start, loaded.problem, request);
  bool goes_on = true;
  if (info.in_slices) {
    goes_on = serve_slices(*console.ranks, loaded.problem, request);
  } else if (info.in_batches) {
    goes_on = serve_scores(*console.ranks, score_job(loaded.problem, request));
  }
  if (goes_on && measure.measure) {
    serve_rounds(*console.ranks, measure_rules(measure), loaded.problem, request.order);
  }
}

/// What stands beside an answer.
struct Beside {
  Deadline deadline;
  Simulator simulator;  // of the problem, for all but the search
  Yardsticks yardsticks;
  std::vector<OtherPlacement> others;
  std::vector<std::string> written;  // files
};

/// Before the search, to which it leaves time and an answer at hand.
Beside beside_search(const LoadedProblem& loaded, const LowerBounds& bounds,
                     const Deadline& deadline, const Asked& asked, SearchRequest& request,
                     Console& console) {
  Beside beside{.deadline = deadline,
                .simulator = Simulator(loaded.problem, request.order),
                .yardsticks = {bounds}};
  if (serves(request.optimizer->info, loaded.problem.goal())) {
    warn_if_nothing_fits(loaded, bounds, console);
  }
  beside.others = other_placements(loaded, request.order, asked.flags.plan);
  const bool draws = asked.outputs.report || asked.outputs.trace;
  try_single_devices(beside.simulator, deadline, draws ? Afterwards::kPage : Afterwards::kSummary,
                     request, beside.yardsticks);
  return beside;
}

/// Before what may take long or fail.
void keep_found(const Report& known, const Asked& asked, const SearchResult& found,
                Console& console) {
  if (!asked.outputs.output) return;
  Keeper keeper(console);
  keep_placement(known, asked.search, *asked.outputs.output, keeper);
  keeper.write({.best = found.placement, .order = found.order, .score = found.score, .scores = {}});
}

/// Measures what was found where that is asked for, reports it, and writes the files.
int answer(const Asked& asked, const SearchRequest& request, const LoadedProblem& loaded,
           SearchResult found, Beside beside, Measuring& measuring, Console& console) {
  Report known;
  describe(request, loaded, known);
  std::optional<MeasuredReport> measured = measuring.race(
      found, [&](const SearchResult& now) { keep_found(known, asked, now, console); });
  const bool interrupted = console.interrupt != nullptr && *console.interrupt;
  Report report =
      make_report(loaded, beside.simulator, std::move(found), std::move(beside.yardsticks));
  describe(request, loaded, report);
  report.others = std::move(beside.others);
  report.measured = std::move(measured);
  report.deadline = beside.deadline;
  std::vector<std::string> written = write_answer_files(asked.flags, report, console);
  std::ranges::move(beside.written, std::back_inserter(written));
  std::ranges::move(measuring.write_fit(report.measured), std::back_inserter(written));
  deliver(report, asked.search, asked.outputs, console, std::move(written));
  return exit_code_of(report, interrupted);
}

int optimize_graph(const Arguments& arguments, Asked asked, Console& console) {
  const auto& [flags, outputs, search] = asked;
  check_files(arguments, flags, outputs);
  check_resuming(flags.resume, flags.checkpoint, search);
  check_plan_flags(problem_flags(arguments), flags.plan, flags.plan_out);
  Measuring measuring(read_flags(kMeasureFlags, arguments), console);
  const Deadline deadline(console.begin, search.time_limit.value_or(Budget().seconds),
                          console.interrupt);
  const std::optional<StartFile> start = read_start_file(flags.start);
  const bool has_line = leave_line(read_flags(kProgressFlags, arguments), outputs.quiet);
  begin_reading(console, arguments.positionals.at(0), has_line);
  const LoadedProblem loaded = load_problem_of(arguments, start, console.log);
  console.kept.push_back(loaded.problem);
  const Problem bounded = within_share(loaded.problem, deadline);
  // Before the options are completed: the policy's own lie beneath those of the line.
  const std::optional<Policy> policy = read_if_given(flags.policy_in, read_policy);
  SearchRequest request =
      request_of(asked, arguments.options, policy ? &*policy : nullptr, bounded, console);
  check_learning(flags, policy, *request.optimizer, loaded.problem);
  if (!search.time_limit && request.budget.evaluations != Budget().evaluations) {
    asked.search.evaluations = request.budget.evaluations;
  }
  if (start) set_start(*start, loaded.problem, request);
  const std::optional<SearchCheckpoint> resumed = read_if_given(flags.resume, read_checkpoint);
  request.resume = resumed ? &*resumed : nullptr;
  request.keeps_updates = flags.updates || outputs.report;
  request.keeps_schedule = loaded.problem.op_count() >= kManyOps && loaded.problem.goal().is_step();

  begin_part(console, "the lower bounds of " + loaded.graph_name,
             has_line && loaded.problem.op_count() >= kOpsThatTakeLong);
  const LowerBounds bounds = lower_bounds(bounded, console.log, request.order);
  if (!bounded.deadline().passed()) request.bounds = &bounds;  // as good as without a limit
  Beside beside = beside_search(loaded, bounds, deadline, asked, request, console);
  measuring.prepare(loaded, beside.yardsticks.single, request);
  Report known;
  describe(request, loaded, known);
  if (flags.mps && write_output(*flags.mps, throughput_mps(loaded.problem), console)) {
    beside.written.push_back(*flags.mps);
  }
  console.search_begins();
  SearchResult found =
      search_on_ranks(request, known, beside.yardsticks.bounds, asked, arguments, console);
  return answer(asked, request, loaded, std::move(found), std::move(beside), measuring, console);
}

int optimize(const Arguments& arguments, Console& console) {
  Asked asked = asked_of(arguments);
  if (is_other_rank(console)) {
    return serve_on_rank(console, [&] { serve(arguments, asked, console); });
  }
  if (asks_for_pipeline(arguments)) {
    warn_of_one_rank("--microbatches", console);
    check_pipeline_flags(asked.flags);
    return optimize_pipeline(arguments, console);
  }
  return optimize_graph(arguments, std::move(asked), console);
}

}  // namespace

Command optimize_command() {
  return {
      .name = "optimize",
      .summary = "search for the placement with the shortest step time",
      .positionals = {{"GRAPH", "the op graph, a placer-graph file or one that import recognises"}},
      .flags = flags_of(kOptimizeFlags, kPipelineFlags, kProblemFlags, kImportOptions, kSearchFlags,
                        kOutputFlags, kMeasureFlags, kProgressFlags),
      .examples = {"placer optimize graph.json --devices 4gpu --algo post --output best.json",
                   "placer optimize graph.json --devices 2xT4,1xCPU --for hf --plan-out map.json"},
      .takes_algorithm_options = true,
      .interruptible = true,
      .uses_ranks = true,
      .run = optimize};
}

}  // namespace placer

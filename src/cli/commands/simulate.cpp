#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "cli/commands/commands.hpp"
#include "cli/commands/plan_files.hpp"
#include "cli/report/deliver.hpp"
#include "cli/shared/config.hpp"
#include "placer/io/files.hpp"
#include "placer/io/placement_file.hpp"
#include "placer/io/plan.hpp"

namespace placer {
namespace {

struct SimulateFlags {
  std::optional<std::string> placement, plan, from;
  std::optional<Order> order;
  std::optional<std::int64_t> microbatches;
  std::optional<PipelineSchedule> schedule;
};
constexpr std::array<FlagRow<SimulateFlags>, 6> kSimulateFlags = {
    text_flag("placement", 0, &SimulateFlags::placement, "FILE",
              "the placement to score, a placer-placement file"),
    text_flag("plan", 0, &SimulateFlags::plan, "FILE",
              "the plan of a framework to score, such as a device_map"),
    text_flag("from", 0, &SimulateFlags::from, "TARGET",
              "whose plan it is; 'placer export --help' lists the targets"),
    choice_flag<&SimulateFlags::order>(
        "order",
        "in which order a device takes its ops; given where the placement file has "
        "sequences, else that of its request, else fifo"),
    flag("microbatches", &SimulateFlags::microbatches, 1,
         "a step of this many micro-batches, each of which is the graph, in a pipeline of the "
         "placement's devices; updates run once, at the end"),
    choice_flag<&SimulateFlags::schedule>(
        "schedule",
        "in which order a stage takes the micro-batches; 1f1b by default where the graph has "
        "backward ops, else gpipe"),
};

/// Under which rules the file's step time was found, as far as they are known to be others; else
/// what can have changed.
std::string rules_of(const SavedRequest& saved, const ProblemFlags& problem, Order order) {
  std::vector<std::string> rules;
  if (problem.devices && saved.devices && *problem.devices != *saved.devices) {
    rules.push_back(saved.devices->starts_with('{') ? "on other devices" : "on " + *saved.devices);
  }
  if (saved.order && *saved.order != order) rules.push_back("under order " + name_of(*saved.order));
  if (!rules.empty()) return join(rules);
  return "devices, order, graph or placement have changed since";
}

void check_files(const Arguments& arguments, const SimulateFlags& flags,
                 const OutputFlags& outputs) {
  std::vector<NamedFile> read = problem_files(arguments);
  read.push_back({"--placement", flags.placement});
  read.push_back({"--plan", flags.plan});
  check_outputs(outputs, read);
  if (outputs.json) check_json_alone({{"--output", outputs.output}, {"--trace", outputs.trace}});
}

/// The placement to score, and how.
struct Given {
  PlacementFile file;
  Order order = Order::kFifo;
  std::string rules;  // under which the file's step time was found
};

Given given_placement(const std::string& title, const std::string& text, const SavedRequest& saved,
                      const SimulateFlags& flags, const ProblemFlags& problem,
                      const LoadedProblem& loaded) {
  Given given{parse_placement(text, title, loaded.problem)};
  given.order = flags.order.value_or(given.file.sequences ? Order::kGiven
                                                          : saved.order.value_or(Order::kFifo));
  if (given.order == Order::kGiven && !given.file.sequences) {
    throw Error(
        fmt::format("{}: sequences: expected an object for --order given, found nothing", title));
  }
  given.rules = rules_of(saved, problem, given.order);
  return given;
}

SearchResult scored(const LoadedProblem& loaded, Given given) {
  const auto begin = std::chrono::steady_clock::now();
  SearchResult result;
  result.placement = std::move(given.file.placement);
  result.groups = loaded.problem.groups().size();
  if (given.order == Order::kGiven) {
    result.order = op_order_of(loaded.problem, *given.file.sequences);
  }
  result.score = Simulator(loaded.problem, given.order).evaluate(result.placement, result.order);
  result.evaluations = 1;
  result.wall_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  result.seconds_to_best = result.wall_seconds;
  result.history = {{1, result.wall_seconds, result.score}};
  return result;
}

void check_microbatches(const SimulateFlags& flags, const ProblemFlags& own,
                        const OutputFlags& outputs) {
  if (flags.schedule && !flags.microbatches) {
    throw Error("--schedule: expected --microbatches N with it, found none");
  }
  if (!flags.microbatches) return;
  if (flags.order) {
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

void check_given(const SimulateFlags& flags) {
  if (flags.plan.has_value() != flags.from.has_value()) {
    throw Error("simulate: expected --plan FILE and --from TARGET together, found one of them");
  }
  if (flags.plan.has_value() == flags.placement.has_value()) {
    throw Error(fmt::format("simulate: expected --placement FILE or --plan FILE, found {}",
                            flags.plan ? "both" : "none"));
  }
  if (flags.plan && flags.order == Order::kGiven) {
    throw Error("simulate: expected another order than given, as plans have no sequences");
  }
}

MicroBatches batches_of(const SimulateFlags& flags, const Problem& problem) {
  const bool has_backward = std::ranges::any_of(problem.graph().ops(), &Op::backward);
  const PipelineSchedule usual = has_backward ? PipelineSchedule::k1F1B : PipelineSchedule::kGpipe;
  return {*flags.microbatches, flags.schedule.value_or(usual)};
}

Report step_report(const LoadedProblem& loaded, const SearchFlags& search, Given given) {
  const std::optional<double> file_seconds = given.file.step_seconds;
  const std::string rules = given.rules;
  const Order order = given.order;
  Report report = make_report(
      loaded, order_of(search), scored(loaded, std::move(given)),
      {lower_bounds(loaded.problem), best_single_device(loaded.problem, order_of(search))});
  report.file_step_seconds = file_seconds;
  report.file_rules = rules;
  report.others = other_placements(loaded, order, std::nullopt);
  return report;
}

/// A report on a step of several micro-batches, each of which is `loaded`. `unrolled` has to live
/// as long as the report.
Report pipeline_report(const LoadedProblem& loaded, const SimulateFlags& flags, Given given,
                       LoadedProblem& unrolled) {
  const MicroBatches batches = batches_of(flags, loaded.problem);
  Pipeline pipeline = pipelined(loaded.problem, given.file.placement, batches);
  unrolled.problem = std::move(pipeline.problem);
  given.order = Order::kGiven;
  given.file.sequences = std::move(pipeline.sequences);
  Report report =
      make_report(unrolled, Order::kGiven, scored(unrolled, std::move(given)),
                  {lower_bounds(unrolled.problem), best_single_device(loaded.problem, batches)});
  report.pipeline = PipelineReport{batches, std::move(pipeline.stages)};
  return report;
}

int simulate(const Arguments& arguments, Console& console) {
  const auto flags = read_flags(kSimulateFlags, arguments);
  const auto outputs = read_flags(kOutputFlags, arguments);
  check_given(flags);
  check_files(arguments, flags, outputs);
  const std::string& path = flags.plan ? *flags.plan : *flags.placement;
  const std::string title = file_title(path), text = read_text(path);
  const ProblemFlags own = problem_flags(arguments);
  check_microbatches(flags, own, outputs);
  const SavedRequest saved = flags.plan ? SavedRequest{} : parse_saved_request(text, title);
  ProblemFlags wanted = flags.plan ? own : with_saved_problem(own, saved, title);
  // Whatever the placement was found for.
  if (flags.microbatches) wanted.objective = Objective::kLatency;
  if (flags.plan) {
    wanted.target = flags.from;
    wanted.target_flag = "--from";
    wanted.ties_units = false;
  }
  console.doing = "reading " + arguments.positionals.at(0);
  const LoadedProblem loaded = load_problem(arguments.positionals.at(0), wanted, console.log);
  Given given;
  if (flags.plan) {
    given.file.placement = read_plan(find_plan_target(*flags.from), text, title, loaded.problem);
    given.order = flags.order.value_or(Order::kFifo);
  } else {
    given = given_placement(title, text, saved, flags, own, loaded);
  }
  SearchFlags search;
  search.order = given.order;

  console.doing = "simulating " + loaded.graph_name;
  LoadedProblem unrolled = loaded;
  Report report = flags.microbatches ? pipeline_report(loaded, flags, std::move(given), unrolled)
                                     : step_report(loaded, search, std::move(given));
  report.algorithm = "simulate";
  deliver(report, search, outputs, console);
  return exit_code_of(report, false);
}

}  // namespace

Command simulate_command() {
  return {
      .name = "simulate",
      .summary = "score a given placement",
      .positionals = {{"GRAPH", "the op graph, a placer-graph file or one that import recognises"}},
      .flags = flags_of(kSimulateFlags, kProblemFlags, kImportOptions, kOutputFlags),
      .run = simulate};
}

}  // namespace placer

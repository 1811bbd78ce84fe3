#include <fmt/format.h>

#include <chrono>

#include "cli/commands/commands.hpp"
#include "cli/report/deliver.hpp"
#include "cli/shared/config.hpp"
#include "placer/io/files.hpp"
#include "placer/io/placement_file.hpp"

namespace placer {
namespace {

struct SimulateFlags {
  std::optional<std::string> placement;
  std::optional<Order> order;
};
constexpr std::array<FlagRow<SimulateFlags>, 2> kSimulateFlags = {
    text_flag("placement", 0, &SimulateFlags::placement, "FILE",
              "the placement to score, a placer-placement file"),
    choice_flag<&SimulateFlags::order>(
        "order",
        "in which order a device takes its ops; given where the placement file has "
        "sequences, else that of its request, else fifo"),
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
  check_outputs(outputs, read);
  if (outputs.json) check_json_alone({{"--output", outputs.output}, {"--trace", outputs.trace}});
}

int simulate(const Arguments& arguments, Console& console) {
  const auto flags = read_flags(kSimulateFlags, arguments);
  const auto outputs = read_flags(kOutputFlags, arguments);
  if (!flags.placement) throw Error("simulate: expected --placement FILE, found none");
  check_files(arguments, flags, outputs);
  const std::string title = file_title(*flags.placement), text = read_text(*flags.placement);
  const SavedRequest saved = parse_saved_request(text, title);
  const ProblemFlags devices = with_saved_problem(problem_flags(arguments), saved, title);
  console.doing = "reading " + arguments.positionals.at(0);
  const LoadedProblem loaded = load_problem(arguments.positionals.at(0), devices, console.log);
  PlacementFile file = parse_placement(text, title, loaded.problem);
  SearchFlags search;
  search.order =
      flags.order.value_or(file.sequences ? Order::kGiven : saved.order.value_or(Order::kFifo));
  if (search.order == Order::kGiven && !file.sequences) {
    throw Error(
        fmt::format("{}: sequences: expected an object for --order given, found nothing", title));
  }

  console.doing = "simulating " + loaded.graph_name;
  const auto begin = std::chrono::steady_clock::now();
  SearchResult result;
  result.placement = std::move(file.placement);
  result.groups = loaded.problem.groups().size();
  if (search.order == Order::kGiven) result.order = op_order_of(loaded.problem, *file.sequences);
  result.score =
      Simulator(loaded.problem, order_of(search)).evaluate(result.placement, result.order);
  result.evaluations = 1;
  result.wall_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  result.seconds_to_best = result.wall_seconds;
  result.history = {{1, result.wall_seconds, result.score}};

  Report report = make_report(
      loaded, order_of(search), std::move(result),
      {lower_bounds(loaded.problem), best_single_device(loaded.problem, order_of(search))});
  report.algorithm = "simulate";
  report.file_step_seconds = file.step_seconds;
  report.file_rules = rules_of(saved, problem_flags(arguments), *search.order);
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

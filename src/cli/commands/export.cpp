#include <fmt/format.h>

#include <algorithm>

#include "cli/commands/commands.hpp"
#include "cli/commands/plan_files.hpp"
#include "cli/shared/config.hpp"
#include "cli/shared/outputs.hpp"
#include "cli/shared/text.hpp"
#include "placer/io/files.hpp"
#include "placer/io/placement_file.hpp"
#include "placer/model/modules.hpp"
#include "placer/sim/simulator.hpp"

namespace placer {
namespace {

struct ExportFlags {
  std::optional<std::string> placement, to, output;
  bool round = false;
};
constexpr std::array<FlagRow<ExportFlags>, 4> kExportFlags = {
    text_flag("placement", 0, &ExportFlags::placement, "FILE",
              "the placement, a placer-placement file"),
    text_flag("to", 0, &ExportFlags::to, "TARGET", "whose plan to write"),
    text_flag("output", 'o', &ExportFlags::output, "FILE",
              "write the plan here instead of printing it; for onnx, a folder"),
    switch_flag("round", 0, &ExportFlags::round,
                "where the target cannot run the placement as it is, write one like it that it can "
                "run"),
};

std::string score_text(const Score& score) {
  return time_text(score.step_ps) + (score.fits() ? "" : ", which does not fit in memory");
}

/// What rounding does: "plan for vllm: 12 of 884 ops move, step time 33.0 ms -> 34.1 ms".
std::string rounding_text(const std::string& target, std::size_t moved, std::size_t ops,
                          const Score& before, const Score& after) {
  return fmt::format("plan for {}: {} of {} ops move, step time {} -> {}", target, moved, ops,
                     score_text(before), score_text(after));
}

/// A placement of `loaded`, by the rules of its target.
struct Rounded {
  Placement placement;
  Score score;
  std::string text;  // what rounding did; empty where there was nothing to round
};

/// As plans of nodes have them.
void put_inputs_with_readers(const Graph& graph, std::vector<DeviceId>& devices) {
  for (const OpId op : IdRange<OpId>(graph.ops().size())) {
    const std::optional<OpId> reader = reader_of_input(graph, op);
    if (reader) devices[op.index()] = devices[reader->index()];
  }
}

Rounded round_to_target(const PlanTarget& target, const Problem& problem,
                        const std::vector<DeviceId>& devices, const Score& before) {
  Simulator simulator(problem, Order::kFifo);
  if (const auto same = placement_on(problem, devices)) {
    Score score = simulator.evaluate(*same);
    if (target.runs_any) score.astray_ops = 0;
    if (score.astray_ops == 0) return {*same, score, ""};
  }
  Placement placement = rounded_placement(target, problem, devices);
  std::size_t moved = 0;
  for (const OpId op : IdRange<OpId>(problem.op_count())) {
    moved += placement[problem.groups().of(op)] != devices[op.index()];
  }
  const Score after = simulator.evaluate(placement);
  return {std::move(placement), after,
          rounding_text(target.name, moved, problem.op_count(), before, after)};
}

void check_export(const Arguments& arguments, const ExportFlags& flags) {
  if (!flags.placement) throw Error("export: expected --placement FILE, found none");
  if (!flags.to) throw Error("export: expected --to TARGET, found none");
  std::vector<NamedFile> read = problem_files(arguments);
  read.push_back({"--placement", flags.placement});
  const std::string output = flags.output.value_or(std::string(kStandardStream));
  check_outputs({plan_output("--output", output, flags.to)}, read);
}

void warn_of_rounding(const PlanTarget& target, const Rounded& rounded, const Score& before,
                      const Observer& observer) {
  if (rounded.text.empty() && rounded.score != before) {
    observer.tell(EventLevel::kWarn, "", [&] {
      return fmt::format(
          "plan for {}: no op moves, but by the rules of {} the step takes {}, not {}", target.name,
          target.name, score_text(rounded.score), score_text(before));
    });
  }
  if (!rounded.text.empty()) {
    observer.tell(EventLevel::kWarn, "", [&] { return rounded.text; });
  }
}

int export_plan(const Arguments& arguments, Console& console) {
  const auto flags = read_flags(kExportFlags, arguments);
  check_export(arguments, flags);
  const std::string title = file_title(*flags.placement), text = read_text(*flags.placement);
  const SavedRequest saved = parse_saved_request(text, title);
  ProblemFlags wanted = with_saved_problem(problem_flags(arguments), saved, title);
  wanted.target = flags.to;
  wanted.target_flag = "--to";
  console.doing = "reading " + arguments.positionals.at(0);
  const std::string& file = arguments.positionals.at(0);
  const GraphFile graph = read_problem_graph(file, wanted, console.log);
  const LoadedProblem loaded = load_problem(graph, file, wanted, console.log);
  wanted.target = saved.target;  // whose rules the placement keeps to
  wanted.ties_units = false;
  const Problem plain = load_problem(graph, file, wanted, {}).problem;
  const PlacementFile given = parse_placement(text, title, plain);
  if (given.pipeline && given.pipeline->has_replicas()) {
    throw Error(fmt::format(
        "{}: expected a placement whose stages have one device each, as plans know no replicas",
        title));
  }
  const Score before = Simulator(plain, Order::kFifo).evaluate(given.placement);
  std::vector<DeviceId> devices;
  for (const OpId op : IdRange<OpId>(plain.op_count())) {
    devices.push_back(given.placement[plain.groups().of(op)]);
  }
  const PlanTarget& target = find_plan_target(*flags.to);
  if (!target.units) put_inputs_with_readers(plain.graph(), devices);
  const Rounded rounded = round_to_target(target, loaded.problem, devices, before);
  if (!rounded.text.empty() && !flags.round) {
    throw Error(
        fmt::format("{}: expected one that {} can run; --round writes one like it ({}), optimize "
                    "--for {} searches for the best",
                    title, target.name, rounded.text, target.name));
  }
  warn_of_rounding(target, rounded, before, console.log);
  const bool is_written =
      write_plan_file(loaded, rounded.placement, rounded.score.fits(),
                      flags.output.value_or(std::string(kStandardStream)), console);
  return is_written ? kDone : rounded.score.fits() ? kBadInput : kNothingFits;
}

std::string targets_text() {
  std::vector<std::string> targets;
  for (const PlanTarget& target : plan_targets()) {
    targets.push_back(target.name + ": " + target.summary);
  }
  return join(targets, "; ");
}

}  // namespace

Command export_command() {
  std::vector<FlagInfo> flags = flags_of(kExportFlags, kProblemFlags, kImportOptions);
  std::ranges::find(flags, "to", [](const FlagInfo& flag) {
    return flag.option.name;
  })->option.meaning += " (" + targets_text() + ")";
  return {
      .name = "export",
      .summary = "write a placement as a framework takes it",
      .positionals = {{"GRAPH", "the op graph, a placer-graph file or one that import recognises"}},
      .flags = std::move(flags),
      .examples = {"placer export graph.json --placement best.json --to hf --round"},
      .run = export_plan};
}

}  // namespace placer

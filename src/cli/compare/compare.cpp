#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <ostream>

#include "cli/commands/commands.hpp"
#include "cli/commands/plan_files.hpp"
#include "cli/compare/curves.hpp"
#include "cli/compare/failures.hpp"
#include "cli/compare/guard.hpp"
#include "cli/compare/page.hpp"
#include "cli/compare/rank_runs.hpp"
#include "cli/compare/report.hpp"
#include "cli/compare/shares.hpp"
#include "cli/compare/store.hpp"
#include "cli/ranks/serving.hpp"
#include "cli/report/curve_file.hpp"
#include "cli/report/notices.hpp"
#include "cli/shared/outputs.hpp"
#include "cli/shared/progress.hpp"
#include "cli/shared/regression.hpp"
#include "cli/shared/text.hpp"
#include "placer/base/text.hpp"
#include "placer/io/files.hpp"

namespace placer {
namespace {

constexpr std::int64_t kStandardSeeds = 10;

struct CompareFlags {
  std::optional<std::string> algo, order;
  std::optional<std::int64_t> seeds;
  std::optional<CompareFormat> format;
  bool json = false;
  bool runs = false;
  bool floor = false;
  std::optional<std::string> output, curve, cdf, report, store, baseline, plan_out;
  bool quiet = false;
};
constexpr std::array<FlagRow<CompareFlags>, 15> kCompareFlags = {
    text_flag(
        "algo", 0, &CompareFlags::algo, "NAME,NAME,...",
        "the algorithms, all by default; the others are tested against the first. Options "
        "follow the name: post:batch=24:groups=none,post:as-published, also evaluations=N and "
        "policy-in=FILE. exec:COMMAND is a program of yours"),
    text_flag("order", 0, &CompareFlags::order, "ORDER,ORDER,...",
              "in which order a device takes its ops: fifo (the default), priority, pct, msr, "
              "program or given; of several, tables have a column for each"),
    flag("seeds", &CompareFlags::seeds, 1, "run each from the seeds 1 to N; 10 by default"),
    choice_flag<&CompareFlags::format>("format", "text by default"),
    switch_flag("json", 0, &CompareFlags::json, "the same as --format json"),
    switch_flag("runs", 0, &CompareFlags::runs,
                "one row for each run instead of each algorithm (JSON has both)"),
    switch_flag("floor", 0, &CompareFlags::floor,
                "also what auto finds in the merged groups: the floor of any search of them"),
    text_flag("curve", 0, &CompareFlags::curve, "FILE",
              "write the best so far of each algorithm against evaluations here: .svg or .csv"),
    text_flag("cdf", 0, &CompareFlags::cdf, "FILE",
              "write on what share of the graphs each algorithm comes how near to the best of them "
              "here: .svg or .csv"),
    text_flag("report", 0, &CompareFlags::report, "FILE",
              "write a page for browsers here, in one file: verdicts, curves, tables, the request"),
    text_flag("store", 0, &CompareFlags::store, "DIR",
              "keep each finished run here and take from here what has run already, so that an "
              "interrupted comparison goes on and a larger one adds to it"),
    text_flag("baseline", 0, &CompareFlags::baseline, "FILE",
              "exit 3 where a median is longer than in this file, which --format json wrote"),
    text_flag("output", 'o', &CompareFlags::output, "FILE", "write the result here, not to stdout"),
    text_flag("plan-out", 0, &CompareFlags::plan_out, "FILE",
              "write the best placement of all runs here as the framework of --for takes it; for "
              "onnx, a folder; of one graph"),
    switch_flag("quiet", 'q', &CompareFlags::quiet, "no progress"),
};

/// A comparison has no target: every run has the same budget. Its orders may be several.
std::vector<FlagInfo> compare_flags() {
  auto search = flags_of(kSearchFlags);
  std::erase_if(search, [](const FlagInfo& flag) {
    return flag.option.name == "target" || flag.option.name == "order";
  });
  auto flags = flags_of(kCompareFlags, kToleranceFlags, kProblemFlags, kImportOptions);
  for (const auto& more : {search, flags_of(kProgressFlags)}) {
    flags.insert(flags.end(), more.begin(), more.end());
  }
  return flags;
}

SearchFlags search_flags(Arguments arguments) {
  arguments.flags.erase("order");
  return read_flags(kSearchFlags, arguments);
}

void check_files(const CompareFlags& flags, const Arguments& arguments) {
  const std::vector<NamedFile> pictures = {{"--curve", flags.curve}, {"--cdf", flags.cdf}};
  std::vector<NamedFile> written = pictures;
  written.push_back({"--report", flags.report});
  written.push_back({"--output", flags.output});
  written.push_back(plan_output("--plan-out", flags.plan_out, problem_flags(arguments).target));
  std::vector<NamedFile> read = problem_files(arguments);
  read.push_back({"--baseline", flags.baseline});
  check_outputs(written, read);
  for (const NamedFile& picture : pictures) {
    if (picture.path) check_curve_file(picture.name, *picture.path);
  }
  if (flags.cdf && arguments.positionals.size() < 2) {
    throw Error("--cdf: expected several graphs, found one");
  }
  check_plan_flags(problem_flags(arguments), std::nullopt, flags.plan_out);
  if (flags.plan_out && arguments.positionals.size() > 1) {
    throw Error(
        fmt::format("--plan-out: expected one graph, found {}", arguments.positionals.size()));
  }
}

CompareFormat parse_format(const CompareFlags& flags) {
  if (flags.json && flags.format.value_or(CompareFormat::kJson) != CompareFormat::kJson) {
    throw Error(fmt::format("options --json and --format: expected one of them, found '{}' as well",
                            name_of(*flags.format)));
  }
  return flags.json ? CompareFormat::kJson : flags.format.value_or(CompareFormat::kText);
}

std::vector<ComparedGraph> load_graphs(const std::vector<std::string>& files,
                                       const ProblemFlags& flags, const std::vector<Order>& orders,
                                       const Observer& observer) {
  std::vector<ComparedGraph> graphs;
  for (LoadedProblem& loaded : load_problems(files, flags, observer)) {
    const Order bounded = orders.size() == 1 ? orders.front() : Order::kGiven;  // else for all
    const LowerBounds bounds = lower_bounds(loaded.problem, observer, bounded);
    ComparedGraph graph{std::move(loaded), bounds, {}, {}};
    for (const Order order : orders) {
      graph.singles.push_back(best_single_device(graph.loaded.problem, order));
      graph.others.push_back(other_placements(graph.loaded, order, std::nullopt));
    }
    graphs.push_back(std::move(graph));
  }
  return graphs;
}

Comparison make_comparison(const Arguments& arguments, const CompareFlags& flags,
                           const Console& console) {
  const SearchFlags search = search_flags(arguments);
  Comparison comparison;
  comparison.orders = parse_orders(flags.order);
  comparison.algorithms = under_orders(parse_algorithms(flags.algo), comparison.orders.size());
  comparison.wants_floors = flags.floor;
  comparison.seeds = flags.seeds.value_or(kStandardSeeds);
  comparison.graphs =
      load_graphs(arguments.positionals, problem_flags(arguments), comparison.orders, console.log);
  if (!flags.algo) {
    const Goal& goal = comparison.graphs.front().loaded.problem.goal();
    std::erase_if(comparison.algorithms, [&](const ComparedAlgorithm& algorithm) {
      return !serves(algorithm.optimizer->info, goal);
    });
  }
  comparison.request = make_request(search, comparison.graphs.front().loaded.problem);
  comparison.request.interrupt = console.interrupt;
  comparison.ranks = console.ranks;
  comparison.request.threads = threads_of_rank(console, search.threads);
  comparison.request.observer = console.log;
  return comparison;
}

void run_with_progress(Comparison& comparison, const Arguments& arguments, bool quiet,
                       Console& console) {
  const auto flags = read_flags(kProgressFlags, arguments);
  std::map<std::size_t, std::unique_ptr<Progress>> shown;  // by the run's number
  WatchRuns watch;
  watch.begin = [&](const RunStart& start) {
    shown[start.run] = std::make_unique<Progress>(
        flags, quiet, console,
        ShownSearch{.name = fmt::format("{} {} seed {}", start.graph->loaded.graph_name,
                                        start.algorithm, start.seed),
                    .number = start.run,
                    .all = start.all,
                    .seconds_before = start.seconds_before,
                    .bound_ps = start.graph->bounds.best_ps()});
  };
  if (Progress(flags, quiet, console).style() != Progress::Style::kNone) {
    watch.show = [&](std::size_t run, const SearchProgress& now) { shown.at(run)->show(now); };
  }
  watch.end = [&](std::size_t run) { shown.erase(run); };
  run_comparison(comparison, watch);
}

void write_pictures(const Comparison& comparison, const CompareFlags& flags, Console& console) {
  if (flags.curve) write_output(*flags.curve, curves_text(comparison, *flags.curve), console);
  if (flags.cdf) write_output(*flags.cdf, shares_text(comparison, *flags.cdf), console);
  if (flags.report) {
    write_output(*flags.report, compare_page(comparison, shell_line(console.line)), console);
  }
}

void tell_others(const RunStore& store, const Comparison& comparison, const Console& console) {
  const RunStore::Others others = store.others(comparison);
  for (const auto& [count, what] : {std::pair(others.of_versions, "another version of placer"),
                                    {others.of_problems, "another problem of the same name"}}) {
    if (count == 0) continue;
    console.log.tell(EventLevel::kWarn, "", [&, count = count, what = what] {
      return fmt::format("--store: left aside: {} of {}", counted(count, "run"), what);
    });
  }
}

/// Of the best run, the first of several.
void write_best_plan(const Comparison& comparison, const std::string& path, Console& console) {
  const auto best = std::ranges::min_element(comparison.runs, {},
                                             [](const RunRecord& run) { return run.result.score; });
  if (best == comparison.runs.end()) return;
  write_plan_file(comparison.graphs.front().loaded, best->result.placement,
                  best->result.score.fits(), path, console);
}

int compare(const Arguments& arguments, Console& console) {
  const auto flags = read_flags(kCompareFlags, arguments);
  if (is_other_rank(console)) {
    return serve_on_rank(console,
                         [&] { serve_comparison(make_comparison(arguments, flags, console)); });
  }
  const CompareFormat format = parse_format(flags);
  check_files(flags, arguments);
  console.doing = "reading " + join(arguments.positionals);
  const double tolerance = tolerance_of(read_flags(kToleranceFlags, arguments));
  Comparison comparison = make_comparison(arguments, flags, console);
  std::optional<EarlierComparison> earlier;
  if (flags.baseline) earlier = read_earlier(*flags.baseline, comparison);
  for (const ComparedGraph& graph : comparison.graphs) {
    warn_if_nothing_fits(graph.loaded, graph.bounds, console);
  }
  console.doing = "the report";
  std::optional<RunStore> store;
  if (flags.store) comparison.store = &store.emplace(*flags.store);
  if (store) tell_others(*store, comparison, console);
  console.search_begins();
  run_with_progress(comparison, arguments, flags.quiet, console);

  const std::string report =
      compare_report(comparison, format, flags.runs, flags.output ? Look{} : console.look);
  write_result(flags.output.value_or(std::string(kStandardStream)), report, console);
  write_pictures(comparison, flags, console);
  if (flags.plan_out) write_best_plan(comparison, *flags.plan_out, console);
  if (const std::vector<Failure> failures = all_failures(comparison); !failures.empty()) {
    tell_failures(comparison, console);
    return std::ranges::any_of(failures, &Failure::is_ours) ? kOurFault : kBadInput;
  }
  if (comparison.interrupted) {
    console.log.tell(EventLevel::kWarn, "", [&] {
      return fmt::format("interrupted; complete: {}", counted(comparison.runs.size(), "run"));
    });
    return kInterrupted;
  }
  if (some_graph_never_fits(comparison)) return kNothingFits;
  return earlier && tell_slower(comparison, *earlier, tolerance, console) ? kMissed : kDone;
}

}  // namespace

Command compare_command() {
  return {
      .name = "compare",
      .summary = "run several algorithms from several seeds with equal budgets, and tabulate",
      .positionals = {{"GRAPH", "op graphs, placer-graph files or others that import recognises",
                       Positional::Count::kMany}},
      .flags = compare_flags(),
      .examples =
          {"placer compare graph.json other.json --algo post,heft,etf --seeds 3",
           "placer compare graph.json --algo heft,\"exec:python3 mine.py\" --seeds 3 --json"},
      .interruptible = true,
      .uses_ranks = true,
      .run = compare};
}

}  // namespace placer

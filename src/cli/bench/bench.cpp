#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <ostream>

#include "cli/bench/junit.hpp"
#include "cli/commands/commands.hpp"
#include "cli/shared/outputs.hpp"
#include "cli/shared/progress.hpp"
#include "cli/shared/request.hpp"
#include "placer/search/bounds.hpp"

namespace placer {
namespace {

struct BenchFlags {
  std::optional<std::string> baseline, junit;
  bool update = false;
  bool json = false;
  bool quiet = false;
};
constexpr std::array<FlagRow<BenchFlags>, 5> kBenchFlags = {
    text_flag("baseline", 0, &BenchFlags::baseline, "FILE",
              "the stored results, a placer-baseline file; required"),
    switch_flag("update", 0, &BenchFlags::update,
                "store the results as the new baseline, with the old tolerances"),
    text_flag("junit", 0, &BenchFlags::junit, "FILE",
              "write the results here as JUnit XML, which CI servers show"),
    switch_flag("json", 0, &BenchFlags::json, "print one JSON object instead of the table"),
    switch_flag("quiet", 'q', &BenchFlags::quiet, "no table and no progress"),
};

/// The only flag of a search that `bench` has is the number of threads: the suite says the rest.
std::vector<FlagInfo> bench_flags() {
  auto flags = flags_of(kSearchFlags);
  std::erase_if(flags, [](const FlagInfo& flag) { return flag.option.name != "threads"; });
  auto all = flags_of(kBenchFlags, kProgressFlags);
  all.insert(all.end(), flags.begin(), flags.end());
  return all;
}

struct LoadedCase {
  const BenchCase* which;
  LoadedProblem loaded;
  std::optional<BaselineCase> stored;
};

std::optional<BaselineCase> stored_case(const BenchCase& wanted,
                                        const std::vector<BaselineCase>& stored) {
  const auto at = std::ranges::find(stored, wanted.name, &BaselineCase::name);
  return at == stored.end() ? std::nullopt : std::optional(*at);
}

/// What is wrong with the files is found before the first case runs. A case whose graph or devices
/// cannot be read is among the report's failures.
std::vector<LoadedCase> load_cases(const std::vector<BenchCase>& cases, const BenchFlags& flags,
                                   const Observer& observer, BenchReport& report) {
  const std::string& suite = report.suite;
  const std::string& file = *flags.baseline;
  std::vector<BaselineCase> stored;
  if (flags.update) {
    check_outputs({{"--baseline", file}}, {{"SUITE", suite}});
    if (flags.json) check_json_alone({{"--baseline", file}});
    std::error_code fault;
    if (std::filesystem::exists(file, fault)) stored = read_baseline(file);
  } else {
    check_inputs({{"SUITE", suite}, {"--baseline", file}});
    stored = match_baseline(cases, read_baseline(file), suite, file);
  }
  std::vector<LoadedCase> loaded;
  for (const BenchCase& wanted : cases) {
    auto failure = failure_of([&] {
      loaded.push_back({&wanted, load_problem(wanted.graph, {.devices = wanted.devices}, observer),
                        stored_case(wanted, stored)});
    });
    if (failure) report.failures.push_back({&wanted, *std::move(failure)});
  }
  return loaded;
}

BenchRun run_case(const LoadedCase& loaded, const SearchFlags& flags, Console& console,
                  const std::function<void(const SearchProgress&)>& on_progress) {
  const BenchCase& wanted = *loaded.which;
  const Problem& problem = loaded.loaded.problem;
  SearchRequest request = make_request(flags, problem);
  request.optimizer = wanted.optimizer;
  request.options = wanted.options;
  request.budget.evaluations = wanted.evaluations;
  request.seed = wanted.seed;
  request.grouping = wanted.grouping;
  request.order = wanted.order;
  request.interrupt = console.interrupt;
  request.observer = console.log;
  request.on_progress = on_progress;
  BenchRun run{loaded.which, run_search(problem, request), loaded.stored, Verdict::kSame};
  if (run.stored) run.verdict = judge(run.result.score, *run.stored);
  return run;
}

/// Fills the report's runs up to an interrupt; a run that it cut short is left out. One that fails
/// is among the failures, and the others go on.
void run_cases(const std::vector<LoadedCase>& cases, const Arguments& arguments, bool quiet,
               Console& console, BenchReport& report) {
  const auto search = read_flags(kSearchFlags, arguments);
  double spent_seconds = 0;
  console.search_begins();
  for (const LoadedCase& loaded : cases) {
    Progress progress(read_flags(kProgressFlags, arguments), quiet, console,
                      {.name = loaded.which->name,
                       .number = report.runs.size() + report.failures.size() + 1,
                       .all = report.cases,
                       .seconds_before = spent_seconds});
    if (progress.style() == Progress::Style::kLine) {
      progress.set_bound(lower_bounds(loaded.loaded.problem, {}, loaded.which->order).best_ps());
    }
    std::function<void(const SearchProgress&)> show;
    if (progress.style() != Progress::Style::kNone) {
      show = [&](const SearchProgress& now) { progress.show(now); };
    }
    auto failure = failure_of([&] {
      BenchRun run = run_case(loaded, search, console, show);
      spent_seconds += run.result.wall_seconds;
      if (run.result.stopped != Stop::kInterrupt) report.runs.push_back(std::move(run));
    });
    if (failure) report.failures.push_back({loaded.which, *std::move(failure)});
    report.interrupted = console.interrupt != nullptr && *console.interrupt;
    if (report.interrupted) return;
  }
}

void update_baseline(BenchReport& report, Console& console) {
  std::vector<BaselineCase> cases;
  for (const BenchRun& run : report.runs) {
    cases.push_back({run.which->name, run.result.score, run.which->evaluations,
                     run.stored ? run.stored->tolerance : 0});
  }
  report.updated = write_output(report.baseline, write_baseline(cases), console);
}

bool is_ours(const FailedCase& failed) { return failed.failure.is_ours; }

void tell_failures(const BenchReport& report, const Console& console) {
  for (const FailedCase& failed : report.failures) {
    console.log.tell(EventLevel::kError, "", [&] {
      return fmt::format("case '{}' failed: {}", failed.which->name, failed.failure.reason);
    });
  }
}

int bench(const Arguments& arguments, Console& console) {
  const auto flags = read_flags(kBenchFlags, arguments);
  if (!flags.baseline) throw Error("bench: expected --baseline FILE, found none");
  check_outputs({{"--junit", flags.junit}},
                {{"SUITE", arguments.positionals.at(0)}, {"--baseline", flags.baseline}});
  if (flags.json) check_json_alone({{"--junit", flags.junit}});
  BenchReport report;
  report.suite = arguments.positionals.at(0);
  report.baseline = *flags.baseline;
  std::vector<BenchCase> cases;
  std::vector<LoadedCase> loaded;
  try {
    cases = read_suite(report.suite);
    report.cases = cases.size();
    loaded = load_cases(cases, flags, console.log, report);
  } catch (const Error& error) {
    if (flags.junit) write_output(*flags.junit, files_junit(report.suite, error.what()), console);
    throw;
  }
  run_cases(loaded, arguments, flags.quiet, console, report);
  const bool all_have_run = !report.interrupted && report.failures.empty();
  if (flags.update && all_have_run) update_baseline(report, console);

  if (flags.junit) write_output(*flags.junit, bench_junit(report, cases), console);
  if (flags.json) {
    console.out << bench_json(report);
  } else if (!flags.quiet) {
    summary_stream(console) << bench_text(report, console.look);
  }
  if (!report.failures.empty()) {
    tell_failures(report, console);
    return std::ranges::any_of(report.failures, is_ours) ? kOurFault : kBadInput;
  }
  if (report.interrupted) return kInterrupted;
  return !report.updated && !names_with(Verdict::kRegression, report.runs).empty() ? kMissed
                                                                                   : kDone;
}

}  // namespace

Command bench_command() {
  return {.name = "bench",
          .summary = "run a suite and compare with stored results; exit 3 on a regression",
          .positionals = {{"SUITE", "what to run, a placer-suite file"}},
          .flags = bench_flags(),
          .examples = {"placer bench suite.json --baseline baseline.json --update",
                       "placer bench suite.json --baseline baseline.json"},
          .interruptible = true,
          .run = bench};
}

}  // namespace placer

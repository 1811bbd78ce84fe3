#include "cli/bench/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/bench/fault.hpp"
#include "cli/shared/layout.hpp"
#include "cli/shared/table.hpp"
#include "cli/shared/text.hpp"
#include "placer/base/text.hpp"

namespace placer {
namespace {

using Json = nlohmann::ordered_json;

std::string score_text(const Score& score) {
  if (score.fits()) return time_text(score.step_ps);
  return fmt::format("{} ({} over)", time_text(score.step_ps),
                     bytes_text(static_cast<double>(score.overflow_bytes)));
}

/// Empty where there is nothing to compare with.
std::optional<double> change_of(const BenchRun& run) {
  if (!run.stored || run.stored->score.step_ps == 0) return std::nullopt;
  const auto before = static_cast<double>(run.stored->score.step_ps);
  return static_cast<double>(run.result.score.step_ps - run.stored->score.step_ps) / before;
}

std::vector<std::string> row_of(const BenchRun& run) {
  const std::optional<double> change = change_of(run);
  return {run.which->name,
          score_text(run.result.score),
          run.stored ? score_text(run.stored->score) : "",
          change ? fmt::format("{:+.3f} %", 100 * *change) : "",
          run.stored ? fmt::format("{:.3g} %", 100 * run.stored->tolerance) : "",
          time_text(to_picoseconds(run.result.wall_seconds)),
          run.stored ? name_of(run.verdict) : "new"};
}

std::string conclusion(const BenchReport& report) {
  const auto worse = names_with(Verdict::kRegression, report.runs);
  const auto better = names_with(Verdict::kImproved, report.runs);
  std::string text;
  if (!worse.empty()) text += fmt::format("worse than the baseline: {}\n", join(worse));
  for (const BenchRun& run : report.runs) {
    if (run.stored && run.verdict == Verdict::kRegression) text += fault_text(run) + "\n";
  }
  if (!better.empty()) {
    text += fmt::format("better than the baseline: {}{}\n", join(better),
                        report.updated ? "" : " (--update keeps that)");
  }
  const bool compared =
      std::ranges::any_of(report.runs, [](const BenchRun& run) { return run.stored.has_value(); });
  for (const FailedCase& failed : report.failures) {
    text += fmt::format("{} failed: {}\n", failed.which->name, printable(failed.failure.reason));
  }
  if (compared && worse.empty() && better.empty()) text += "no case got better or worse\n";
  if (report.updated) text += fmt::format("written: {}\n", printable(report.baseline));
  if (report.interrupted) {
    text += fmt::format("interrupted: {} of {} cases were complete{}\n", report.runs.size(),
                        report.cases, report.updated ? "" : "; the baseline is as it was");
  }
  return text;
}

Json run_json(const BenchRun& run) {
  const Score& score = run.result.score;
  Json object;
  object["name"] = run.which->name;
  object["step_seconds"] = to_seconds(score.step_ps);
  object["feasible"] = score.fits();
  object["overflow_bytes"] = score.overflow_bytes;
  object["baseline_step_seconds"] =
      run.stored ? Json(to_seconds(run.stored->score.step_ps)) : Json(nullptr);
  object["baseline_overflow_bytes"] =
      run.stored ? Json(run.stored->score.overflow_bytes) : Json(nullptr);
  const std::optional<double> change = change_of(run);
  object["change"] = change ? Json(*change) : Json(nullptr);
  object["tolerance"] = run.stored ? Json(run.stored->tolerance) : Json(nullptr);
  object["verdict"] = !run.stored                           ? "new"
                      : run.verdict == Verdict::kRegression ? "regression"
                                                            : name_of(run.verdict);
  object["evaluations"] = run.result.evaluations;
  object["wall_seconds"] = run.result.wall_seconds;
  object["reason"] = nullptr;
  object["fault"] =
      run.stored && run.verdict == Verdict::kRegression ? Json(fault_text(run)) : Json(nullptr);
  object["command"] = repeating_command(*run.which);
  return object;
}

/// The keys of a case that has run, without a result.
Json failed_json(const FailedCase& failed) {
  Json object = run_json(BenchRun{failed.which, {}, std::nullopt, Verdict::kSame});
  for (auto& [key, value] : object.items()) value = nullptr;
  object["name"] = failed.which->name;
  object["command"] = repeating_command(*failed.which);
  object["verdict"] = "failed";
  object["reason"] = failed.failure.reason;
  return object;
}

}  // namespace

std::vector<std::string> names_with(Verdict verdict, const std::vector<BenchRun>& runs) {
  std::vector<std::string> names;
  for (const BenchRun& run : runs) {
    if (run.stored && run.verdict == verdict) names.push_back(run.which->name);
  }
  return names;
}

std::string bench_text(const BenchReport& report, const Look& look) {
  Table table{{"case", "step time", "baseline", "change", "tolerance", "took", "verdict"}, {}};
  for (const BenchRun& run : report.runs) table.rows.push_back(row_of(run));
  for (const FailedCase& failed : report.failures) {
    table.rows.push_back({failed.which->name, "", "", "", "", "", "failed"});
  }
  return text_table(table, look) + "\n" + wrapped(conclusion(report), look.width, 2);
}

std::string bench_json(const BenchReport& report) {
  Json object;
  object["version"] = PLACER_VERSION;
  object["suite"] = report.suite;
  object["baseline"] = report.baseline;
  object["cases"] = Json::array();
  for (const BenchRun& run : report.runs) object["cases"].push_back(run_json(run));
  for (const FailedCase& failed : report.failures) object["cases"].push_back(failed_json(failed));
  object["regressions"] = names_with(Verdict::kRegression, report.runs);
  object["improved"] = names_with(Verdict::kImproved, report.runs);
  object["updated"] = report.updated;
  object["interrupted"] = report.interrupted;
  return object.dump(2) + "\n";
}

}  // namespace placer

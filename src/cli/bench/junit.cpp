#include "cli/bench/junit.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/bench/fault.hpp"
#include "placer/base/markup.hpp"

namespace placer {
namespace {

bool is_regression(const BenchRun& run) {
  return run.stored && run.verdict == Verdict::kRegression;
}

std::string case_tag(const std::string& suite, const BenchCase& which, double seconds,
                     const std::string& content) {
  return fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\"{}\n",
                     markup_text(suite), markup_text(which.name), seconds,
                     content.empty() ? "/>" : fmt::format(">\n      {}\n    </testcase>", content));
}

std::string case_xml(const BenchReport& report, const BenchCase& which) {
  const auto failed = std::ranges::find(report.failures, &which, &FailedCase::which);
  if (failed != report.failures.end()) {
    return case_tag(report.suite, which, 0,
                    fmt::format("<error message=\"{}\"/>", markup_text(failed->failure.reason)));
  }
  const auto run = std::ranges::find(report.runs, &which, &BenchRun::which);
  if (run == report.runs.end()) return case_tag(report.suite, which, 0, "<skipped/>");
  const double seconds = run->result.wall_seconds;
  if (!is_regression(*run) || report.updated) return case_tag(report.suite, which, seconds, "");
  return case_tag(
      report.suite, which, seconds,
      fmt::format("<failure type=\"regression\" message=\"{}\"/>", markup_text(fault_text(*run))));
}

}  // namespace

std::string bench_junit(const BenchReport& report, const std::vector<BenchCase>& cases) {
  double seconds = 0;
  for (const BenchRun& run : report.runs) seconds += run.result.wall_seconds;
  const auto worse = report.updated ? 0 : std::ranges::count_if(report.runs, is_regression);
  const std::string counts =
      fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3f}\"",
                  cases.size(), worse, report.failures.size(),
                  cases.size() - report.runs.size() - report.failures.size(), seconds);
  std::string text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {}>\n  <testsuite name=\"{}\" {}>\n",
      counts, markup_text(report.suite), counts);
  for (const BenchCase& which : cases) text += case_xml(report, which);
  return text + "  </testsuite>\n</testsuites>\n";
}

}  // namespace placer

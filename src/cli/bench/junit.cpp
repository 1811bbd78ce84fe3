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

struct Counts {
  std::size_t tests = 0, failures = 0, errors = 0, skipped = 0;
  double seconds = 0;
};

std::string suite_xml(const std::string& suite, const Counts& of, const std::string& cases) {
  const std::string counts =
      fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3f}\"",
                  of.tests, of.failures, of.errors, of.skipped, of.seconds);
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {}>\n  <testsuite name=\"{}\" "
      "{}>\n{}"
      "  </testsuite>\n</testsuites>\n",
      counts, markup_text(suite), counts, cases);
}

std::string error_tag(const std::string& reason) {
  return fmt::format("<error message=\"{}\"/>", markup_text(reason));
}

std::string case_tag(const std::string& suite, const std::string& name, double seconds,
                     const std::string& content) {
  return fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\"{}\n",
                     markup_text(suite), markup_text(name), seconds,
                     content.empty() ? "/>" : fmt::format(">\n      {}\n    </testcase>", content));
}

std::string case_xml(const BenchReport& report, const BenchCase& which) {
  const auto failed = std::ranges::find(report.failures, &which, &FailedCase::which);
  if (failed != report.failures.end()) {
    return case_tag(report.suite, which.name, 0, error_tag(failed->failure.reason));
  }
  const auto run = std::ranges::find(report.runs, &which, &BenchRun::which);
  if (run == report.runs.end()) return case_tag(report.suite, which.name, 0, "<skipped/>");
  const double seconds = run->result.wall_seconds;
  if (!is_regression(*run) || report.updated)
    return case_tag(report.suite, which.name, seconds, "");
  return case_tag(
      report.suite, which.name, seconds,
      fmt::format("<failure type=\"regression\" message=\"{}\"/>", markup_text(fault_text(*run))));
}

}  // namespace

std::string bench_junit(const BenchReport& report, const std::vector<BenchCase>& cases) {
  double seconds = 0;
  for (const BenchRun& run : report.runs) seconds += run.result.wall_seconds;
  const auto worse = report.updated ? 0 : std::ranges::count_if(report.runs, is_regression);
  const std::size_t skipped = cases.size() - report.runs.size() - report.failures.size();
  std::string text;
  for (const BenchCase& which : cases) text += case_xml(report, which);
  return suite_xml(
      report.suite,
      {cases.size(), static_cast<std::size_t>(worse), report.failures.size(), skipped, seconds},
      text);
}

std::string files_junit(const std::string& suite, const std::string& reason) {
  return suite_xml(suite, {.tests = 1, .errors = 1},
                   case_tag(suite, "suite and baseline", 0, error_tag(reason)));
}

}  // namespace placer

#pragma once

#include <string>
#include <vector>

#include "cli/bench/report.hpp"

namespace placer {

/// The report as JUnit XML, which CI servers show: a test case for each of `cases`, with a failure
/// for a regression, an error for one that did not run, and skipped where an interrupt came before.
std::string bench_junit(const BenchReport& report, const std::vector<BenchCase>& cases);

/// The same where no case could run, for the files' sake: one error with that reason.
std::string files_junit(const std::string& suite, const std::string& reason);

}  // namespace placer

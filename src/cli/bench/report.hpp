#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/bench/baseline.hpp"
#include "cli/shared/failure.hpp"
#include "cli/shared/terminal.hpp"

namespace placer {

/// A case that has run.
struct BenchRun {
  const BenchCase* which = nullptr;
  SearchResult result;
  std::optional<BaselineCase> stored;  // empty for a case that --update adds
  Verdict verdict = Verdict::kSame;    // of no meaning without a stored one
};

/// A case whose run ended in an exception.
struct FailedCase {
  const BenchCase* which = nullptr;
  Failure failure;
};

/// The names of the runs with this verdict.
std::vector<std::string> names_with(Verdict verdict, const std::vector<BenchRun>& runs);

struct BenchReport {
  std::string suite, baseline;  // files
  std::vector<BenchRun> runs;
  std::vector<FailedCase> failures;
  std::size_t cases = 0;  // of the suite
  bool updated = false, interrupted = false;
};

std::string bench_text(const BenchReport& report, const Look& look);
std::string bench_json(const BenchReport& report);

}  // namespace placer

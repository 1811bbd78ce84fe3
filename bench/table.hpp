#pragma once

#include <benchmark/benchmark.h>

#include <map>
#include <string>

namespace placer::bench {

/// Prints a line for each benchmark called "SCENARIO/WHAT": ns per op, evaluations per second, and
/// the time as a multiple of those of "one pass", "textbook loop" and "fifo" on the same scenario,
/// where these ran earlier in the same run.
class Table : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context& context) override;
  void ReportRuns(const std::vector<Run>& runs) override;

 private:
  std::map<std::string, double> seconds_;  // of an evaluation, by benchmark
};

}  // namespace placer::bench

#include "table.hpp"

#include <fmt/core.h>

namespace placer::bench {
namespace {

std::string ratio(const std::map<std::string, double>& seconds, const std::string& yardstick,
                  double value) {
  const auto found = seconds.find(yardstick);
  return found == seconds.end() ? "-" : fmt::format("{:.3g}", value / found->second);
}

/// How far a benchmark's moves were simulated.
std::string replayed(const benchmark::BenchmarkReporter::Run& run) {
  const auto steps = run.counters.find("steps"), full = run.counters.find("full");
  if (steps == run.counters.end() || full == run.counters.end()) return "";
  return fmt::format("  {:.1f} steps, {:.3f} in full", double{steps->second}, double{full->second});
}

}  // namespace

bool Table::ReportContext(const Context&) {
  fmt::print("{:50} {:>7} {:>8} {:>11} {:>10} {:>10} {:>8}\n", "", "ops", "ns/op", "per second",
             "/ one pass", "/ textbook", "/ full");
  return true;
}

void Table::ReportRuns(const std::vector<Run>& runs) {
  for (const Run& run : runs) {
    const std::string name = run.benchmark_name();
    if (run.error_occurred) {
      fmt::print("{}: {}\n", name, run.error_message);
      continue;
    }
    const double seconds = run.cpu_accumulated_time / static_cast<double>(run.iterations);
    seconds_[name] = seconds;
    const std::string scenario = name.substr(0, name.rfind('/') + 1);
    const double ops = run.counters.at("ops");
    fmt::print("{:50} {:7.0f} {:8.2f} {:11.0f} {:>10} {:>10} {:>8}{}\n", name, ops,
               seconds / ops * 1e9, 1 / seconds, ratio(seconds_, scenario + "one pass", seconds),
               ratio(seconds_, scenario + "textbook loop", seconds),
               ratio(seconds_, scenario + "moves, in full", seconds), replayed(run));
  }
}

}  // namespace placer::bench

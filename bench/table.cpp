#include "table.hpp"

#include <fmt/core.h>

namespace placer::bench {

namespace {

std::string ratio(const std::map<std::string, double>& seconds, const std::string& yardstick,
                  double value) {
  const auto found = seconds.find(yardstick);
  return found == seconds.end() ? "-" : fmt::format("{:.2f}", value / found->second);
}

}  // namespace

bool Table::ReportContext(const Context&) {
  fmt::print("{:34} {:>7} {:>8} {:>12} {:>9} {:>11}\n", "evaluation of", "ops", "ns/op",
             "evaluations/s", "/ one pass", "/ textbook");
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
    const std::string graph = name.substr(name.rfind('/'));
    const double ops = run.counters.at("ops");
    fmt::print("{:34} {:7.0f} {:8.1f} {:13.0f} {:>10} {:>11}\n", name.substr(0, name.rfind('/')),
               ops, seconds / ops * 1e9, 1 / seconds, ratio(seconds_, "one pass" + graph, seconds),
               ratio(seconds_, "textbook loop" + graph, seconds));
  }
}

}  // namespace placer::bench

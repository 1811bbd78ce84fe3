#include "cli/deliver.hpp"

#include <ostream>

#include "placer/io/files.hpp"
#include "placer/io/placement_file.hpp"
#include "placer/io/trace_file.hpp"

namespace placer {

Report make_report(const LoadedProblem& loaded, Order order, SearchResult result,
                   const Sequences* sequences) {
  Report report;
  report.loaded = &loaded;
  report.order = order;
  report.result = std::move(result);
  Simulator simulator(loaded.problem, order);
  simulator.evaluate(report.result.placement, sequences, &report.schedule);
  report.bounds = lower_bounds(loaded.problem);
  report.single = best_single_device(loaded.problem, order);
  return report;
}

void deliver(const Report& report, const SearchFlags& search, const OutputFlags& flags,
             const std::optional<Sequences>& sequences, Console& console) {
  const Problem& problem = report.loaded->problem;
  std::vector<std::string> written;
  if (flags.output) {
    write_atomically(*flags.output,
                     write_placement(problem, report.result.placement, report.schedule.score,
                                     sequences, request_json(report, search)));
    written.push_back(*flags.output);
  }
  if (flags.trace) {
    write_atomically(*flags.trace, chrome_trace(problem, report.schedule));
    written.push_back(*flags.trace);
  }
  if (flags.json) {
    console.out << json_report(report);
  } else if (!flags.quiet) {
    console.out << text_report(report, flags.verbose, written);
  }
}

int exit_code_of(const Report& report, bool interrupted) {
  const Score& score = report.schedule.score;
  if (interrupted) return kInterrupted;
  if (!score.fits()) return kNothingFits;
  return report.target_ps && score.step_ps > *report.target_ps ? kMissed : kDone;
}

}  // namespace placer

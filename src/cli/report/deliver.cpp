#include "cli/report/deliver.hpp"

#include <fmt/format.h>

#include <functional>
#include <ostream>
#include <utility>

#include "cli/report/answer_check.hpp"
#include "cli/report/notices.hpp"
#include "cli/report/page.hpp"
#include "cli/shared/text.hpp"
#include "placer/base/errors.hpp"
#include "placer/io/files.hpp"
#include "placer/io/placement_file.hpp"
#include "placer/io/trace_file.hpp"

namespace placer {

namespace {

/// The sequences of the result under order `given`; nothing under other orders.
std::optional<Sequences> sequences(const Report& report) {
  const Problem& problem = report.loaded->problem;
  const SearchResult& result = report.result;
  if (report.order != Order::kGiven) return std::nullopt;
  if (result.order.empty()) return upward_rank_sequences(problem, result.placement);
  return sequences_of(problem, result.placement, result.order);
}

/// False where it is not written. Where memory lacks for it, what else was asked for goes on.
bool write_drawing(const std::string& path, const std::function<std::string()>& draw,
                   Console& console) {
  try {
    return write_output(path, draw(), console);
  } catch (const std::exception& fault) {
    if (!lacks_memory(fault)) throw;
  }
  console.log.tell(EventLevel::kError, "", [&] {
    return fmt::format("{} is not written: expected enough memory for it, found too little", path);
  });
  console.lacks_output = true;
  return false;
}

/// Simulates the result where it is not known what ran when.
Schedule schedule_of(Simulator& simulator, SearchResult& result, std::optional<Scheduled> at_hand) {
  if (result.schedule) return *std::exchange(result.schedule, std::nullopt);
  if (at_hand && result.order.empty() && at_hand->placement == result.placement) {
    return std::move(at_hand->schedule);
  }
  Schedule schedule;
  simulator.evaluate(result.placement, result.order, &schedule);
  return schedule;
}

}  // namespace

std::string placement_text(const Report& report, const SearchFlags& search) {
  if (report.pipeline) {
    const PipelineReport& pipeline = *report.pipeline;
    return write_placement(pipeline.one, pipeline.placement, report.schedule.score, std::nullopt,
                           request_json(report, search), pipeline.batches);
  }
  return write_placement(report.loaded->problem, report.result.placement, report.schedule.score,
                         sequences(report), request_json(report, search));
}

Report make_report(const LoadedProblem& loaded, Simulator& simulator, SearchResult result,
                   Yardsticks yardsticks) {
  const Order order = simulator.order();
  Report report;
  report.loaded = &loaded;
  report.order = order;
  report.result = std::move(result);
  report.schedule = schedule_of(simulator, report.result, std::move(yardsticks.at_hand));
  check_answer(loaded, order, report.result, report.schedule);
  report.fifo = report.schedule.score;
  if (order != Order::kFifo) {
    report.fifo = Simulator(loaded.problem, Order::kFifo).evaluate(report.result.placement);
  }
  report.bounds = std::move(yardsticks.bounds);
  report.single = yardsticks.single;
  return report;
}

void deliver(const Report& report, const SearchFlags& search, const OutputFlags& flags,
             Console& console, std::vector<std::string> written) {
  const Problem& problem = report.loaded->problem;
  std::string unwritten;
  console.doing = "the report";
  warn_if_unfit(report, console);
  if (flags.output) {
    const std::string text = placement_text(report, search);
    if (flags.json) {
      if (!write_output(*flags.output, text, console)) unwritten = text;
    } else if (write_result(*flags.output, text, console)) {
      written.push_back(*flags.output);
    }
  }
  const auto trace = [&] { return chrome_trace(problem, report.schedule); };
  if (flags.trace && write_drawing(*flags.trace, trace, console)) written.push_back(*flags.trace);
  const auto page = [&] { return html_report(report, search, shell_line(console.line)); };
  if (flags.report && write_drawing(*flags.report, page, console)) {
    written.push_back(*flags.report);
  }
  std::erase_if(written, is_standard_output);
  if (flags.json) {
    console.out << json_report(
        report, {.placement = placement_text(report, search), .unwritten = unwritten});
  } else if (!flags.quiet) {
    std::ostream& summary = summary_stream(console);
    summary << text_report(report, flags.verbose, written, console.look);
    if (report.searched && !flags.output) {
      summary << "\nThe placement is not kept; --output FILE writes it.\n";
    }
  }
}

int exit_code_of(const Report& report, bool interrupted) {
  const Score& score = report.schedule.score;
  if (interrupted) return kInterrupted;
  if (!score.fits()) return kNothingFits;
  return report.target_ps && score.step_ps > *report.target_ps ? kMissed : kDone;
}

}  // namespace placer

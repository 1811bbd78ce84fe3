#include "cli/report/notices.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/report/result_report.hpp"
#include "cli/shared/layout.hpp"
#include "cli/shared/text.hpp"

namespace placer {
namespace {

/// What another search might do; without merged groups there is nothing to take apart.
std::string more_search(const Report& report) {
  const bool has_merged = report.result.groups < report.loaded->problem.groups().size();
  const std::string more =
      report.result.stopped == Stop::kTime ? "a longer --time-limit" : "more evaluations";
  return has_merged ? more + ", --groups none" : more;
}

}  // namespace

std::string machine_text(const LoadedProblem& loaded, const Look& look) {
  if (!loaded.standard_devices) return {};
  return wrapped(fmt::format("For {} ({}), as no devices were named: --devices names yours, such "
                             "as --devices 2xA100-80,1xCPU.\n\n",
                             kStandardDevices, kStandardMachine),
                 look.width, 0);
}

std::string why_nothing_fits(const Problem& problem, const LowerBounds& bounds) {
  double params_bytes = 0, memory_bytes = 0;
  for (const Op& op : problem.graph().ops()) params_bytes += static_cast<double>(op.params_bytes);
  for (const Device& device : problem.topology().devices()) {
    memory_bytes += static_cast<double>(device.memory_bytes);
  }
  if (params_bytes <= memory_bytes) return bounds.infeasible;
  return fmt::format("the parameters take {}, all devices together have {}",
                     bytes_text(params_bytes), bytes_text(memory_bytes));
}

void warn_if_nothing_fits(const LoadedProblem& loaded, const LowerBounds& bounds,
                          const Console& console) {
  if (bounds.infeasible.empty()) return;
  console.log.tell(EventLevel::kWarn, "", [&] {
    return fmt::format("{} on {}: nothing can fit: {}", loaded.graph_name, loaded.devices_name,
                       why_nothing_fits(loaded.problem, bounds));
  });
}

std::string why_nothing_fits(const Report& report) {
  if (!report.bounds.infeasible.empty()) {
    return why_nothing_fits(report.loaded->problem, report.bounds);
  }
  const bool saw_all = report.result.proven && !report.schedule.score.fits();
  return saw_all ? "the search has ruled out every placement" : "";
}

std::string unfit_text(const Score& score) {
  if (score.overflow_bytes > 0) {
    return bytes_text(static_cast<double>(score.overflow_bytes)) + " over the memory";
  }
  return fmt::format("not contiguous, {} astray",
                     counted(static_cast<std::size_t>(score.astray_ops), "op"));
}

void warn_if_unfit(const Report& report, const Console& console) {
  const Score& score = report.schedule.score;
  if (score.fits() || (report.searched && !report.bounds.infeasible.empty())) return;
  console.log.tell(EventLevel::kWarn, "", [&] {
    const std::string why = why_nothing_fits(report);
    const std::string what = report.pipeline   ? "these stages do not fit: "
                             : report.searched ? "nothing found fits: the best is "
                                               : "this placement does not fit: ";
    return fmt::format("{} on {}: {}", report.loaded->graph_name, report.loaded->devices_name,
                       why.empty() ? what + unfit_text(score) : "nothing can fit: " + why);
  });
}

std::string what_may_help(const Report& report) {
  if (report.schedule.score.astray_ops > 0) {
    if (!report.searched) return "This placement breaks the rules of contiguity.";
    return fmt::format("Nothing found keeps the rules of contiguity: {}{} or other pins may help.",
                       report.algorithm == "auto" ? "" : "--algo auto, ", more_search(report));
  }
  if (report.pipeline && report.pipeline->batches.schedule == PipelineSchedule::kGpipe &&
      std::ranges::any_of(report.loaded->problem.graph().ops(), &Op::backward)) {
    return "These stages do not fit. What may help: --schedule 1f1b, under which they hold fewer "
           "micro-batches.";
  }
  if (report.pipeline) {
    return "These stages do not fit. What may help: smaller micro-batches (a graph of fewer "
           "samples, more of them), more or larger devices.";
  }
  if (!report.searched) {
    return "This placement does not fit. What may help: optimize --start FILE, more or larger "
           "devices, a smaller batch.";
  }
  return fmt::format(
      "Nothing found fits in memory: {}, more or larger devices or a smaller batch may help.",
      more_search(report));
}

}  // namespace placer

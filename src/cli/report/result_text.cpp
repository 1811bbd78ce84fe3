#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "cli/report/notices.hpp"
#include "cli/report/result_report.hpp"
#include "cli/shared/device_rows.hpp"
#include "cli/shared/layout.hpp"
#include "cli/shared/text.hpp"
#include "placer/base/text.hpp"
#include "placer/search/optimizer.hpp"

namespace placer {
namespace {

std::string fit_text(const Score& score) {
  return score.fits() ? "fits in memory" : "INFEASIBLE: " + unfit_text(score);
}

std::string_view score_title(Objective objective) {
  switch (objective) {
    case Objective::kLatency:
      break;
    case Objective::kThroughput:
      return "time per step";
    case Objective::kCallLatency:
      return "step of calls";
  }
  return "step time";
}

std::string single_text(const Report& report) {
  if (!report.single) return "does not fit";
  const std::string& name = report.loaded->problem.topology().device(report.single->device).name;
  return fmt::format("{} ({})", time_text(report.single->score.step_ps), name);
}

std::string gap_text(const Report& report) {
  const std::optional<double> over = gap(report);
  const std::string proof = is_optimal(report) ? ", proven optimal"
                            : report.pipeline  ? " with these micro-batches and replicas"
                                               : "";
  return over ? fmt::format("gap {}{}", share_text(*over), proof) : "";
}

std::string target_text(const Report& report) {
  const Score& score = report.schedule.score;
  return score.fits() && score.step_ps <= *report.target_ps ? "reached" : "MISSED";
}

std::string algorithm_text(const Report& report) {
  if (!report.searched) {
    const bool is_chosen = report.pipeline && report.pipeline->bottleneck_ps;
    return is_chosen ? report.algorithm : "none: a given placement";
  }
  std::string text = fmt::format("{}, seed {}", report.algorithm, report.seed.value_or(0));
  return text + fmt::format(", {} groups", report.result.groups);
}

std::string wall_text(double seconds) { return time_text(to_picoseconds(std::min(seconds, 9e6))); }

std::string search_text(const Report& report) {
  const SearchResult& result = report.result;
  const double rate =
      result.wall_seconds > 0 ? static_cast<double>(result.evaluations) / result.wall_seconds : 0;
  return fmt::format("{} in {} ({:.0f}/s), best after {}, stopped by: {}",
                     counted(static_cast<std::size_t>(result.evaluations), "evaluation"),
                     wall_text(result.wall_seconds), rate, wall_text(result.seconds_to_best),
                     name_of(result.stopped));
}

/// What a learner's samples found by themselves, where the answer is another.
std::string own_best_text(const Report& report) {
  const std::optional<Score>& own = report.result.best_sample;
  if (!own || *own == report.schedule.score) return "";
  const bool learns = report.searched && find_optimizer(report.algorithm).info.learns;
  return learns && own->fits()
             ? time_text(own->step_ps) + " by its samples, without starts and refinement"
             : "";
}

/// How another placement compares.
std::string other_text(const Report& report, const OtherPlacement& other) {
  if (!other.score.fits()) return fit_text(other.score);
  const Score& own = report.schedule.score;
  if (!own.fits() || own.step_ps == 0) return "fits in memory";
  return fmt::format("{:.2f} times as long as the placement",
                     static_cast<double>(other.score.step_ps) / static_cast<double>(own.step_ps));
}

/// A row for what a step is good for, where the graph says it.
void add_rates(const Report& report, Rows& rows) {
  const StepYield& yield = report.loaded->yield;
  for (const auto& [name, count] :
       {std::pair("samples", yield.samples), {"tokens", yield.tokens}}) {
    const std::optional<double> rate = rate_of(count, report);
    if (!rate) continue;
    rows.push_back({name, fmt::format("{:.4g} a second", *rate), fmt::format("{} a step", *count)});
  }
  const LoadedProblem& loaded = *report.loaded;
  const bool is_to_run = loaded.flags.target || !loaded.graph_why.empty();
  const std::optional<double> steps = rate_of(1, report);
  if (loaded.no_yield.empty() || !is_to_run || !steps) return;
  rows.push_back({"steps", fmt::format("{:.4g} a second", *steps), loaded.no_yield});
}

void add_micro_batches(const Report& report, Rows& rows) {
  if (!report.pipeline) return;
  const MicroBatches& batches = report.pipeline->batches;
  const double bubble = bubble_share(*report.pipeline, report.loaded->problem, report.schedule);
  rows.push_back(
      {"micro-batches",
       fmt::format("{}{}, {}", batches.count,
                   batches.merged > 1 ? fmt::format(" of {} graphs", batches.merged) : "",
                   name_of(batches.schedule)),
       "bubble " + share_text(bubble)});
  if (!report.pipeline->bottleneck_ps) return;
  rows.push_back(
      {"busiest device", time_text(*report.pipeline->bottleneck_ps), "has to do in a step"});
}

/// Rows for what else says how long a step takes.
void add_other_times(const Report& report, Rows& rows) {
  for (const OtherPlacement& other : report.others) {
    rows.push_back({other.name, time_text(other.score.step_ps), other_text(report, other)});
  }
  if (report.loaded->problem.goal().objective != Objective::kLatency) {
    rows.push_back({"one step alone", time_text(latency_ps(report.schedule)), "simulated"});
  }
  if (report.target_ps)
    rows.push_back({"target", time_text(*report.target_ps), target_text(report)});
  if (report.result.schedule_ps) {
    rows.push_back({"its own schedule", time_text(*report.result.schedule_ps),
                    "as the list scheduler claims it"});
  }
  const double step_seconds = to_seconds(report.schedule.score.step_ps);
  if (report.file_step_seconds.value_or(step_seconds) != step_seconds) {
    rows.push_back({"the file says",
                    time_text(to_picoseconds(std::min(*report.file_step_seconds, 9e6))),
                    report.file_rules});
  }
  if (report.order != Order::kFifo) {
    rows.push_back({"under fifo", time_text(report.fifo.step_ps), fit_text(report.fifo)});
  }
}

/// What was found.
Rows result_rows(const Report& report, const Look& look) {
  Rows rows = {
      {std::string(score_title(report.loaded->problem.goal().objective)),
       toned(time_text(report.schedule.score.step_ps), Tone::kBold, look),
       fit_text(report.schedule.score)},
      {"one device alone", single_text(report), verdict(report)},
      {"lower bound",
       bound_ps(report) > report.bounds.best_ps()
           ? fmt::format("{} (by {})", time_text(bound_ps(report)), report.algorithm)
           : bound_text(report.bounds),
       gap_text(report)},
  };
  add_micro_batches(report, rows);
  add_other_times(report, rows);
  add_rates(report, rows);
  rows.push_back({"bytes moved", bytes_text(static_cast<double>(report.schedule.bytes_moved))});
  return rows;
}

/// What was asked, and how it was found.
Rows request_rows(const Report& report) {
  const Problem& problem = report.loaded->problem;
  Rows rows = {
      {"graph", fmt::format("{}: {}{}", report.loaded->graph_name,
                            grouped_text(problem.op_count(), problem.groups().size()),
                            report.loaded->graph_why)},
      {"devices", fmt::format("{} ({})", report.loaded->devices_name, report.loaded->devices_why)},
      {"algorithm", algorithm_text(report)},
      {"order",
       fmt::format("{}, objective {}", name_of(report.order), name_of(problem.goal().objective))},
  };
  if (report.searched) rows.push_back({"search", search_text(report)});
  if (std::string own = own_best_text(report); !own.empty()) {
    rows.push_back({"own best", std::move(own)});
  }
  if (const std::optional<Collapse>& collapse = report.result.collapse) {
    rows.push_back({"learnt", fmt::format("collapsed to {} after {} samples",
                                          problem.topology().device(collapse->device).name,
                                          collapse->samples)});
  }
  if (std::string why = why_nothing_fits(report); !why.empty()) {
    rows.push_back({"infeasible", std::move(why)});
  }
  return rows;
}

std::string facts(const Report& report, const Look& look) {
  return text_rows(result_rows(report, look), {1, 2}, look) + "\n" +
         text_rows(request_rows(report), {1}, look);
}

/// Of all slots.
double busy_share(const Report& report, DeviceId device) {
  const double step = static_cast<double>(report.schedule.score.step_ps);
  const auto slots = static_cast<double>(report.loaded->problem.topology().device(device).slots);
  if (!(step > 0)) return 0;
  return static_cast<double>(report.schedule.busy_ps[device.index()]) / (step * slots);
}

std::string device_table(const Report& report, const Look& look) {
  const Problem& problem = report.loaded->problem;
  std::vector<std::size_t> ops(problem.device_count());
  for (const OpRun& run : report.schedule.ops) ++ops[run.device.index()];
  Rows rows = {{"device", "busy", "peak memory", "capacity", "ops"}};
  for (const DeviceRow& row : device_rows(problem.topology())) {
    const std::int64_t capacity = problem.topology().device(row.devices.front()).memory_bytes;
    double least_busy = 1e9, most_busy = 0;
    std::int64_t least_bytes = std::numeric_limits<std::int64_t>::max(), most_bytes = 0;
    std::size_t all_ops = 0, in_use = 0;
    for (const DeviceId device : row.devices) {
      const double busy = busy_share(report, device);
      least_busy = std::min(least_busy, busy);
      most_busy = std::max(most_busy, busy);
      least_bytes = std::min(least_bytes, report.schedule.peak_bytes[device.index()]);
      most_bytes = std::max(most_bytes, report.schedule.peak_bytes[device.index()]);
      all_ops += ops[device.index()];
      in_use += ops[device.index()] > 0 ? 1 : 0;
    }
    const bool is_one = row.devices.size() == 1;
    rows.push_back({is_one ? row.name : fmt::format("{}, {} in use", row.name, in_use),
                    range_text(share_text(least_busy), share_text(most_busy)),
                    range_text(bytes_text(static_cast<double>(least_bytes)),
                               bytes_text(static_cast<double>(most_bytes))),
                    bytes_text(static_cast<double>(capacity)), fmt::format("{}", all_ops),
                    most_bytes > capacity ? "too much" : ""});
  }
  return table_rows(std::move(rows), {}, look);
}

std::string details(const Report& report, const Look& look) {
  Rows rows;
  for (const LowerBoundInfo& bound : kLowerBounds) {
    rows.push_back({rows.empty() ? "bounds" : "", fmt::format("{}: {}", bound.name, bound.meaning),
                    time_text(report.bounds.*bound.value)});
  }
  for (const auto& [name, value] : report.options) {
    rows.push_back({rows.size() == kLowerBounds.size() ? "options" : "", name, to_text(value)});
  }
  std::string text = "\n" + text_rows(std::move(rows), {1}, look);
  Rows steps = {{"evaluation", "after", "step time"}};
  for (const Improvement& improvement : report.result.history) {
    steps.push_back({fmt::format("{}", improvement.evaluations),
                     fmt::format("{:.3f} s", improvement.wall_seconds),
                     time_text(improvement.score.step_ps),
                     improvement.score.fits() ? "" : "does not fit"});
  }
  return text + "\n" + table_rows(std::move(steps), {}, look);
}

}  // namespace

std::string text_report(const Report& report, bool verbose, const std::vector<std::string>& files,
                        const Look& look) {
  std::string text =
      machine_text(*report.loaded, look) + facts(report, look) + "\n" + device_table(report, look);
  if (!report.schedule.score.fits() && why_nothing_fits(report).empty()) {
    text += wrapped("\n" + what_may_help(report) + "\n", std::min(look.width, kProseWidth), 0);
  }
  if (report.pipeline) {
    text += "\n" + stage_table(*report.pipeline, report.loaded->problem, report.schedule, look);
  }
  if (report.measured) text += "\n" + measured_text(*report.measured, look);
  if (verbose) text += details(report, look);
  if (!files.empty()) {
    text += wrapped(fmt::format("\nwritten: {}\n", printable(join(files))), look.width, 9);
  }
  return text;
}

}  // namespace placer

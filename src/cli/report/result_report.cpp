#include "cli/report/result_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/shared/text.hpp"

namespace placer {

std::string verdict(const Report& report) {
  if (!report.single) return "";
  const Score found = report.schedule.score;
  const Score alone = report.single->score;
  const std::string& name = report.loaded->problem.topology().device(report.single->device).name;
  if (!found.fits()) {
    return fmt::format("{} alone fits: {}", name, time_text(alone.step_ps));
  }
  if (alone == found) return fmt::format("{} alone is just as fast", name);
  if (alone < found) return fmt::format("{} alone is faster: use that", name);
  if (found.step_ps == 0) return "";
  return fmt::format(
      "the placement {}{}",
      speed_text(static_cast<double>(alone.step_ps) / static_cast<double>(found.step_ps)),
      report.single->beats_by_memory ? "; no faster device holds it alone" : "");
}

Picoseconds latency_ps(const Schedule& schedule) {
  Picoseconds end_ps = 0;
  for (const OpRun& run : schedule.ops) end_ps = std::max(end_ps, run.end_ps);
  return end_ps;
}

std::optional<double> rate_of(std::optional<std::int64_t> count, const Report& report) {
  const double step_seconds = to_seconds(report.schedule.score.step_ps);
  if (!count || !(step_seconds > 0)) return std::nullopt;
  return static_cast<double>(*count) / step_seconds;
}

Picoseconds bound_ps(const Report& report) {
  return std::max(report.bounds.best_ps(), report.result.bound_ps.value_or(0));
}

std::optional<double> gap(const Report& report) {
  const Picoseconds bound = bound_ps(report);
  if (bound <= 0 || !report.schedule.score.fits()) return std::nullopt;
  return static_cast<double>(report.schedule.score.step_ps - bound) / static_cast<double>(bound);
}

bool is_optimal(const Report& report) {
  const Score& score = report.schedule.score;
  if (report.pipeline) return false;  // other micro-batches and replicas may be faster
  return score.fits() && (report.result.proven || score.step_ps <= bound_ps(report));
}

}  // namespace placer

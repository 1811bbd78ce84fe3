#include "cli/shared/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "cli/shared/text.hpp"

namespace placer {
namespace {

constexpr double kEverySeconds = 0.1;

double rate(const SearchProgress& progress) {
  return progress.wall_seconds > 0
             ? static_cast<double>(progress.evaluations) / progress.wall_seconds
             : 0;
}

std::string line_text(const SearchProgress& progress, const std::string& run) {
  return fmt::format("{}{}{:3.0f} %  {} evaluations  best {}{}  {:.0f}/s", run,
                     run.empty() ? "" : "  ", 100 * progress.share, progress.evaluations,
                     time_text(progress.best.step_ps),
                     progress.best.fits() ? "" : " (does not fit)", rate(progress));
}

std::string json_text(const SearchProgress& progress, const std::string& run) {
  nlohmann::ordered_json object;
  if (!run.empty()) object["run"] = run;
  object["evaluations"] = progress.evaluations;
  object["share"] = progress.share;
  object["step_seconds"] = to_seconds(progress.best.step_ps);
  object["overflow_bytes"] = progress.best.overflow_bytes;
  object["wall_seconds"] = progress.wall_seconds;
  object["evaluations_per_second"] = rate(progress);
  return object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string line_text(const TrainingProgress& progress) {
  return fmt::format(
      "{:3.0f} %  {} evaluations  {} updates  {:.0f}/s", 100 * progress.share, progress.evaluations,
      progress.updates,
      static_cast<double>(progress.evaluations) / std::max(progress.wall_seconds, 1e-9));
}

std::string json_text(const TrainingProgress& progress) {
  nlohmann::ordered_json object;
  object["evaluations"] = progress.evaluations;
  object["share"] = progress.share;
  object["updates"] = progress.updates;
  object["wall_seconds"] = progress.wall_seconds;
  return object.dump();
}

Progress::Style style_of(const ProgressFlags& flags, bool quiet, const Console& console) {
  const ShownProgress asked =
      flags.progress.value_or(quiet ? ShownProgress::kNone : ShownProgress::kAuto);
  if (asked == ShownProgress::kJson) return Progress::Style::kJson;
  return asked == ShownProgress::kAuto && console.err_is_terminal ? Progress::Style::kLine
                                                                  : Progress::Style::kNone;
}

}  // namespace

void clear_live_line(Console& console) {
  if (console.live_columns == 0) return;
  console.err << "\r" << std::string(console.live_columns, ' ') << "\r" << std::flush;
  console.live_columns = 0;
}

Progress::Progress(const ProgressFlags& flags, bool quiet, Console& console, std::string run)
    : console_(console), style_(style_of(flags, quiet, console)), run_(std::move(run)) {}

Progress::~Progress() { clear_live_line(console_); }

bool Progress::is_time(double wall_seconds) {
  if (style_ == Style::kNone || wall_seconds < next_seconds_) return false;
  next_seconds_ = wall_seconds + kEverySeconds;
  return true;
}

void Progress::show(const SearchProgress& progress) {
  if (!is_time(progress.wall_seconds)) return;
  print(style_ == Style::kJson ? json_text(progress, run_) : line_text(progress, run_));
}

void Progress::show(const TrainingProgress& progress) {
  if (!is_time(progress.wall_seconds)) return;
  print(style_ == Style::kJson ? json_text(progress) : line_text(progress));
}

void Progress::print(const std::string& line) {
  if (style_ == Style::kJson) {
    console_.err << line << std::endl;
    return;
  }
  console_.err << fmt::format("\r{:<{}}", line, console_.live_columns) << std::flush;
  console_.live_columns = std::max(console_.live_columns, line.size());
}

}  // namespace placer

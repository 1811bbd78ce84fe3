#include "cli/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "cli/text.hpp"

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

Progress::Style style_of(const ProgressFlags& flags, bool quiet, const Console& console) {
  const std::string asked = flags.progress.value_or(quiet ? "none" : "auto");
  if (asked == "json") return Progress::Style::kJson;
  return asked == "auto" && console.err_is_terminal ? Progress::Style::kLine
                                                    : Progress::Style::kNone;
}

}  // namespace

Progress::Progress(const ProgressFlags& flags, bool quiet, Console& console, std::string run)
    : console_(console), style_(style_of(flags, quiet, console)), run_(std::move(run)) {}

Progress::~Progress() {
  if (shown_width_ > 0)
    console_.err << "\r" << std::string(shown_width_, ' ') << "\r" << std::flush;
}

void Progress::show(const SearchProgress& progress) {
  if (style_ == Style::kNone || progress.wall_seconds < next_seconds_) return;
  next_seconds_ = progress.wall_seconds + kEverySeconds;
  if (style_ == Style::kJson) {
    console_.err << json_text(progress, run_) << std::endl;
    return;
  }
  const std::string line = line_text(progress, run_);
  console_.err << fmt::format("\r{:<{}}", line, shown_width_) << std::flush;
  shown_width_ = std::max(shown_width_, line.size());
}

}  // namespace placer

#include "cli/shared/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <ostream>

#include "cli/shared/layout.hpp"
#include "cli/shared/text.hpp"

namespace placer {
namespace {

constexpr double kEverySeconds = 0.1;
constexpr double kSteadySeconds = 0.5;   // before it, too little is known of the time left
constexpr std::size_t kFactsWidth = 46;  // of the figures that matter most
constexpr const char* kEraseToEnd = "\x1b[K";

double rate(std::int64_t evaluations, double wall_seconds) {
  return wall_seconds > 0 ? static_cast<double>(evaluations) / wall_seconds : 0;
}

std::string rate_text(std::int64_t evaluations, double wall_seconds) {
  const double per_second = rate(evaluations, wall_seconds);
  return per_second < 10 ? fmt::format("{:.2g}/s", per_second)
                         : fmt::format("{:.0f}/s", per_second);
}

/// As much again for each share that is left.
double seconds_left(double spent_seconds, double share) {
  return share > 0 ? spent_seconds * (1 - share) / share : 0;
}

/// "45 %" and "12 s left", of all searches together; nothing of a search without a budget.
std::vector<std::string> share_parts(double share, double wall_seconds, const ShownSearch& search) {
  const double whole =
      (static_cast<double>(search.number - 1) + share) / static_cast<double>(search.all);
  if (whole < 1e-9) return {};
  std::vector<std::string> parts = {fmt::format("{:3.0f} %", 100 * whole)};
  const double spent_seconds = search.seconds_before + wall_seconds;
  if (spent_seconds > kSteadySeconds) {
    const double left_seconds =
        std::max(seconds_left(spent_seconds, whole), seconds_left(wall_seconds, share));
    parts.push_back(rough_time_text(left_seconds) + " left");
  }
  return parts;
}

std::string best_part(const Score& best) {
  return fmt::format("best {}{}", time_text(best.step_ps), best.fits() ? "" : " (does not fit)");
}

/// The parts that fit, those that matter most at first.
std::string joined(const std::vector<std::string>& parts, std::size_t width) {
  std::string line;
  for (const std::string& part : parts) {
    const std::string longer = line.empty() ? part : line + "  " + part;
    if (columns_of(longer) > width) break;
    line = longer;
  }
  return line.empty() && !parts.empty() ? cut(parts.front(), width) : line;
}

std::string line_text(const SearchProgress& progress, const ShownSearch& search,
                      std::size_t width) {
  std::vector<std::string> parts;
  if (!search.name.empty()) {
    const std::size_t room = width > kFactsWidth ? width - kFactsWidth : 0;
    parts.push_back(cut(fmt::format("{}/{} {}", search.number, search.all, search.name),
                        std::max(width / 3, room)));
  }
  const auto shares = share_parts(progress.share, progress.wall_seconds, search);
  if (!shares.empty()) parts.push_back(shares.front());
  parts.push_back(best_part(progress.best));
  const Picoseconds bound_ps = search.bound_ps.value_or(0);
  if (bound_ps > 0 && progress.best.fits()) {
    parts.push_back("gap " + share_text(static_cast<double>(progress.best.step_ps - bound_ps) /
                                        static_cast<double>(bound_ps)));
  }
  if (shares.size() > 1) parts.push_back(shares.back());
  parts.push_back(counted(static_cast<std::size_t>(progress.evaluations), "evaluation"));
  parts.push_back(rate_text(progress.evaluations, progress.wall_seconds));
  return joined(parts, width);
}

std::string json_text(const SearchProgress& progress, const ShownSearch& search) {
  nlohmann::ordered_json object;
  if (!search.name.empty()) {
    object["run"] = fmt::format("{} ({}/{})", search.name, search.number, search.all);
  }
  object["evaluations"] = progress.evaluations;
  object["share"] = progress.share;
  object["step_seconds"] = to_seconds(progress.best.step_ps);
  object["overflow_bytes"] = progress.best.overflow_bytes;
  object["wall_seconds"] = progress.wall_seconds;
  object["evaluations_per_second"] = rate(progress.evaluations, progress.wall_seconds);
  return object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string line_text(const TrainingProgress& progress, const ShownSearch& search,
                      std::size_t width) {
  std::vector<std::string> parts = share_parts(progress.share, progress.wall_seconds, search);
  parts.push_back(counted(static_cast<std::size_t>(progress.evaluations), "evaluation"));
  parts.push_back(counted(static_cast<std::size_t>(progress.updates), "update"));
  parts.push_back(rate_text(progress.evaluations, progress.wall_seconds));
  return joined(parts, width);
}

std::string json_text(const TrainingProgress& progress, const ShownSearch&) {
  nlohmann::ordered_json object;
  object["evaluations"] = progress.evaluations;
  object["share"] = progress.share;
  object["updates"] = progress.updates;
  object["wall_seconds"] = progress.wall_seconds;
  return object.dump();
}

ShownProgress asked_for(const ProgressFlags& flags, bool quiet) {
  return flags.progress.value_or(quiet ? ShownProgress::kNone : ShownProgress::kAuto);
}

Progress::Style style_of(const ProgressFlags& flags, bool quiet, const Console& console) {
  const ShownProgress asked = asked_for(flags, quiet);
  if (asked == ShownProgress::kJson) return Progress::Style::kJson;
  return asked == ShownProgress::kAuto && console.err_is_terminal ? Progress::Style::kLine
                                                                  : Progress::Style::kNone;
}

/// text(width), in the line that is there.
template <class Text>
void draw_live_line(Console& console, const Text& text) {
  // The last column stays free: some terminals go to the next line once it is filled.
  const std::size_t width = std::max<std::size_t>(console.err_width(), 2) - 1;
  console.err << "\r" << text(width) << kEraseToEnd << std::flush;
  console.shows_live_line = true;
}

}  // namespace

void clear_live_line(Console& console) {
  if (!console.shows_live_line) return;
  console.err << "\r" << kEraseToEnd << std::flush;
  console.shows_live_line = false;
}

void begin_part(Console& console, std::string what, bool takes_long) {
  clear_live_line(console);
  console.doing = std::move(what);
  if (!takes_long || !console.err_is_terminal) return;
  draw_live_line(console, [&](std::size_t width) { return cut(console.doing, width); });
}

void begin_reading(Console& console, const std::string& file, bool shown) {
  constexpr std::uintmax_t kLargeBytes = 4'000'000;  // about a tenth of a second
  std::error_code unknown;
  const std::uintmax_t bytes = std::filesystem::file_size(file, unknown);
  begin_part(console, "reading " + file, shown && !unknown && bytes >= kLargeBytes);
}

bool leave_line(const ProgressFlags& flags, bool quiet) {
  return asked_for(flags, quiet) == ShownProgress::kAuto;
}

Progress::Progress(const ProgressFlags& flags, bool quiet, Console& console, ShownSearch search)
    : console_(console), style_(style_of(flags, quiet, console)), search_(std::move(search)) {}

Progress::~Progress() { clear_live_line(console_); }

bool Progress::is_time(double wall_seconds) {
  if (style_ == Style::kNone || wall_seconds < next_seconds_) return false;
  next_seconds_ = wall_seconds + kEverySeconds;
  return true;
}

void Progress::show(const SearchProgress& progress) { draw(progress); }

void Progress::show(const TrainingProgress& progress) { draw(progress); }

template <class What>
void Progress::draw(const What& progress) {
  if (!is_time(progress.wall_seconds)) return;
  if (style_ == Style::kJson) {
    console_.err << json_text(progress, search_) << std::endl;
    return;
  }
  draw_live_line(console_, [&](std::size_t width) { return line_text(progress, search_, width); });
}

}  // namespace placer

// All that knows spdlog.
#include "cli/shared/log.hpp"

#define SPDLOG_NO_THREAD_ID
#define SPDLOG_LEVEL_NAMES \
  { "trace", "debug", "info", "warn", "error", "critical", "off" }
#include <fmt/format.h>
#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/ostream_sink.h>

#include <algorithm>
#include <ostream>
#include <utility>

#include "cli/shared/progress.hpp"
#include "placer/base/text.hpp"

namespace placer {
namespace {

using spdlog::level::level_enum;

/// "debug: "; nothing for warnings and errors.
class Degree : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& line, const std::tm&,
              spdlog::memory_buf_t& text) override {
    if (line.level >= spdlog::level::warn) return;
    text.append(spdlog::level::to_string_view(line.level));
    text.append(std::string_view(": "));
  }
  std::unique_ptr<custom_flag_formatter> clone() const override {
    return std::make_unique<Degree>();
  }
};

/// `text` without its middle where it is longer than `most` bytes.
std::string without_middle(std::string_view text, std::size_t most, std::size_t first,
                           std::size_t last) {
  if (text.size() <= most) return std::string(text);
  const auto is_inside = [&](std::size_t at) {
    return (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80;  // of a UTF-8 character
  };
  std::size_t end = first, begin = text.size() - last;
  while (end > 0 && is_inside(end)) --end;
  while (begin < text.size() && is_inside(begin)) ++begin;
  return fmt::format("{}...{}", text.substr(0, end), text.substr(begin));
}

/// What a message says, on one line that a terminal can show, of words and a length that a reader
/// can take in.
std::string shown(std::string_view message) {
  std::string words;
  const std::string safe = printable(message);
  for (std::size_t begin = 0; begin <= safe.size();) {
    const std::size_t end = std::min(safe.find(' ', begin), safe.size());
    words += without_middle(std::string_view(safe).substr(begin, end - begin), 200, 60, 20);
    if (end < safe.size()) words += ' ';
    begin = end + 1;
  }
  return without_middle(words, 1000, 800, 100);
}

std::unique_ptr<spdlog::formatter> console_format() {
  auto format = std::make_unique<spdlog::pattern_formatter>();
  format->add_flag<Degree>('*').set_pattern("placer: %*%v");
  return format;
}

level_enum level_of(EventLevel level) {
  switch (level) {
    case EventLevel::kTrace:
      return spdlog::level::trace;
    case EventLevel::kDebug:
      return spdlog::level::debug;
    case EventLevel::kInfo:
      return spdlog::level::info;
    case EventLevel::kWarn:
      return spdlog::level::warn;
    case EventLevel::kError:
      break;
  }
  return spdlog::level::err;
}

}  // namespace

/// One thread logs: sinks without locks.
struct Log::Sinks {
  explicit Sinks(std::ostream& err)
      : console(std::make_shared<spdlog::sinks::ostream_sink_st>(err)), logger("placer", console) {
    console->set_formatter(console_format());
    console->set_level(spdlog::level::warn);
    logger.set_level(spdlog::level::warn);
    logger.flush_on(spdlog::level::trace);
  }

  std::shared_ptr<spdlog::sinks::ostream_sink_st> console;
  spdlog::logger logger;
};

Log::Log(Console& console) : console_(console), sinks_(std::make_unique<Sinks>(console.err)) {}
Log::~Log() = default;

void Log::follow(const LogFlags& flags) {
  const level_enum level =
      spdlog::level::from_str(name_of(flags.log_level.value_or(LogLevel::kWarn)));
  sinks_->logger.set_level(level);
  sinks_->console->set_level(flags.log_file ? spdlog::level::warn : level);
  if (!flags.log_file) return;
  try {
    constexpr bool kEmptied = true;
    const auto file =
        std::make_shared<spdlog::sinks::basic_file_sink_st>(*flags.log_file, kEmptied);
    file->set_pattern("[%Y-%m-%d %H:%M:%S.%e] %l %v");
    sinks_->logger.sinks().push_back(file);
  } catch (const spdlog::spdlog_ex& fault) {
    throw Error(std::string("--log-file: ") + fault.what());
  }
  // A full disk is told once and does not end a search.
  sinks_->logger.set_error_handler([this, told = false](const std::string& fault) mutable {
    if (std::exchange(told, true)) return;
    sinks_->logger.sinks().back()->set_level(spdlog::level::off);
    sinks_->logger.warn("--log-file: the log ends here: {}", fault);
  });
}

Observer Log::observer() {
  for (const EventLevel level : {EventLevel::kTrace, EventLevel::kDebug, EventLevel::kInfo,
                                 EventLevel::kWarn, EventLevel::kError}) {
    if (sinks_->logger.should_log(level_of(level))) {
      return Observer(level, [this](const Event& event) { write(event); });
    }
  }
  return {};
}

void Log::write(const Event& event) {
  const level_enum level = level_of(event.level);
  if (sinks_->console->should_log(level)) clear_live_line(console_);
  const std::string subject = event.subject.empty() ? "" : fmt::format("{}: ", event.subject);
  sinks_->logger.log(level, "{}{}", subject, shown(event.message));
}

}  // namespace placer

#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>

#include "cli/shared/command.hpp"

namespace placer {

/// What matters at least as much is told.
enum class LogLevel { kTrace, kDebug, kInfo, kWarn, kError, kOff };
constexpr Names<6> names_of(LogLevel) { return {"trace", "debug", "info", "warn", "error", "off"}; }

/// What is told of what happens; every command takes these.
struct LogFlags {
  std::optional<LogLevel> log_level;
  std::optional<std::string> log_file;
};
inline constexpr std::array<FlagRow<LogFlags>, 2> kLogFlags = {
    choice_flag<&LogFlags::log_level>(
        "log-level",
        "what to tell on stderr of what happens: warnings and errors by default; info: "
        "runs, stages, files; debug: improvements and updates; trace: every evaluation"),
    text_flag("log-file", 0, &LogFlags::log_file, "FILE",
              "write the log here, with times, as it goes; stderr then has warnings and errors "
              "only"),
};

/// The program's log. Warnings and errors are lines of the console's stderr that begin with
/// "placer: "; what matters less says how much before its text: "placer: debug: ...". A live line
/// is cleared first.
class Log {
 public:
  /// Tells warnings and errors. The console outlives it.
  explicit Log(Console& console);
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  /// Follows the flags from now on; the file is emptied. Throws Error where it cannot be written.
  void follow(const LogFlags& flags);
  /// Who hands events to this log, at the level that is followed now.
  Observer observer();

 private:
  struct Sinks;
  void write(const Event& event);

  Console& console_;
  std::unique_ptr<Sinks> sinks_;
};

}  // namespace placer

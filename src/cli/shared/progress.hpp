#pragma once

#include <array>
#include <optional>
#include <string>

#include "cli/shared/command.hpp"
#include "placer/search/training.hpp"

namespace placer {

enum class ShownProgress { kAuto, kJson, kNone };
constexpr Names<3> names_of(ShownProgress) { return {"auto", "json", "none"}; }

struct ProgressFlags {
  std::optional<ShownProgress> progress;
};
inline constexpr std::array<FlagRow<ProgressFlags>, 1> kProgressFlags = {
    choice_flag<&ProgressFlags::progress>(
        "progress",
        "on stderr: a live line on a terminal (auto, the default), one JSON object per "
        "line, or nothing"),
};

/// Takes the live line off the terminal, where one is shown.
void clear_live_line(Console& console);

/// Shows how a search goes, at most ten times a second.
class Progress {
 public:
  enum class Style { kNone, kLine, kJson };

  /// Where there are several searches, `run` is the name of this one.
  Progress(const ProgressFlags& flags, bool quiet, Console& console, std::string run = {});
  /// Ends the live line.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  Style style() const { return style_; }
  void show(const SearchProgress& progress);
  void show(const TrainingProgress& progress);

 private:
  bool is_time(double wall_seconds);
  void print(const std::string& line);

  Console& console_;
  Style style_;
  std::string run_;
  double next_seconds_ = 0;
};

}  // namespace placer

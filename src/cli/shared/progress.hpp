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

inline constexpr std::size_t kOpsThatTakeLong = 100'000;

/// The program does this now: where it `takes_long`, the live line of a terminal says so until
/// something else is shown.
void begin_part(Console& console, std::string what, bool takes_long);

/// Reading a file takes long if that is large. `shown`: on the live line.
void begin_reading(Console& console, const std::string& file, bool shown = true);

/// Whether these flags leave a live line.
bool leave_line(const ProgressFlags& flags, bool quiet);

/// Which search is shown.
struct ShownSearch {
  std::string name = {};                     // where there are several
  std::size_t number = 1, all = 1;           // it is the `number`-th of so many, from 1
  double seconds_before = 0;                 // what those before it took
  std::optional<Picoseconds> bound_ps = {};  // a lower bound on its step time, where one is known
};

/// Shows how a search goes, at most ten times a second.
class Progress {
 public:
  enum class Style { kNone, kLine, kJson };

  Progress(const ProgressFlags& flags, bool quiet, Console& console, ShownSearch search = {});
  /// Erases the live line.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  Style style() const { return style_; }
  void set_bound(Picoseconds bound_ps) { search_.bound_ps = bound_ps; }
  void show(const SearchProgress& progress);
  void show(const TrainingProgress& progress);

 private:
  bool is_time(double wall_seconds);
  template <class What>
  void draw(const What& progress);

  Console& console_;
  Style style_;
  ShownSearch search_;
  double next_seconds_ = 0;
};

}  // namespace placer

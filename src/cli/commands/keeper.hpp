#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/report/result_report.hpp"

namespace placer {

/// A file that is written again and again while a search goes on.
struct KeptFile {
  std::string flag;  // what messages call it: "--output"
  std::string path;
  std::function<std::string(const SearchState&)> text;
  bool only_better = false;  // only once the best so far is better than what was written last
};

/// Keeps what a search has found so far, so that it outlives whatever ends the
/// program. A file that cannot be written for now is a warning, and is tried
/// again.
class Keeper {
 public:
  explicit Keeper(Console& console) : console_(console) {}
  /// Pipes, devices and standard output are written at the end alone and not
  /// kept.
  void keep(KeptFile file);
  bool is_idle() const { return files_.empty(); }
  /// Writes what has changed, every two seconds and seldom enough to take no
  /// more than a twentieth of the time.
  void look(const SearchState& state);
  /// Writes it all now.
  void write(const SearchState& state);

 private:
  struct Kept {
    KeptFile file;
    std::int64_t improvements = 0;  // of what was written last
    bool failed = false;            // the last time
  };
  void write(Kept& kept, const SearchState& state);

  Console& console_;
  std::vector<Kept> files_;
  double next_seconds_ = 2;
};

/// Keeps the placement file of `known`, with what is best so far. Both outlive
/// the keeper.
void keep_placement(const Report& known, const SearchFlags& search, const std::string& path,
                    Keeper& keeper);
void keep_checkpoint(RequestFacts request, const std::string& path, Keeper& keeper);

/// Throws Error where --checkpoint names standard output.
void check_checkpoint_file(const std::optional<std::string>& path);

/// Throws Error for --resume or --checkpoint beside a limit of time, and for a checkpoint file that
/// cannot be written.
void check_resuming(const std::optional<std::string>& resume,
                    const std::optional<std::string>& checkpoint, const SearchFlags& search);

}  // namespace placer

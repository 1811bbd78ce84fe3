#pragma once

#include <array>
#include <optional>
#include <string>

#include "cli/command.hpp"

namespace placer {

/// What is written and printed of a result.
struct OutputFlags {
  std::optional<std::string> output;
  std::optional<std::string> trace;
  bool json = false;
  bool quiet = false;
  bool verbose = false;
};
inline constexpr std::array<FlagRow<OutputFlags>, 5> kOutputFlags = {
    text_flag("output", 'o', &OutputFlags::output, "FILE", "write the placement here"),
    text_flag("trace", 0, &OutputFlags::trace, "FILE",
              "write a Chrome trace of the step here (opens in Perfetto)"),
    switch_flag("json", 0, &OutputFlags::json, "print one JSON object instead of the summary"),
    switch_flag("quiet", 'q', &OutputFlags::quiet, "no summary and no progress"),
    switch_flag("verbose", 'v', &OutputFlags::verbose, "options and every improvement as well"),
};

/// Throws Error when `path` could not be written: before a long search, not after it.
void check_writable(const std::string& path);

/// Both files of the flags, and that neither is the other or the graph.
void check_outputs(const OutputFlags& flags, const std::string& graph_file);

}  // namespace placer

#pragma once

#include <array>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/shared/command.hpp"

namespace placer {

/// What is written and printed of a result.
struct OutputFlags {
  std::optional<std::string> output;
  std::optional<std::string> trace;
  std::optional<std::string> report;
  bool json = false;
  bool quiet = false;
  bool verbose = false;
};
inline constexpr std::array<FlagRow<OutputFlags>, 6> kOutputFlags = {
    text_flag("output", 'o', &OutputFlags::output, "FILE",
              "write the placement here; - is standard output"),
    text_flag("trace", 0, &OutputFlags::trace, "FILE",
              "write a Chrome trace of the step here (opens in Perfetto)"),
    text_flag("report", 0, &OutputFlags::report, "FILE",
              "write a page for browsers here, in one file: timeline, memory, tables, the request"),
    switch_flag("json", 0, &OutputFlags::json, "print one JSON object instead of the summary"),
    switch_flag("quiet", 'q', &OutputFlags::quiet, "no summary and no progress"),
    switch_flag("verbose", 'v', &OutputFlags::verbose, "options and every improvement as well"),
};

/// A file that a command reads or writes, and how messages call it: "--output", "GRAPH".
struct NamedFile {
  std::string name;
  std::optional<std::string> path;  // empty: not given
};

/// Throws Error when two of `inputs` are standard input.
void check_inputs(const std::vector<NamedFile>& inputs);
/// Throws Error when one of `outputs` could not be written or is one of `inputs` or another output,
/// and when two of `inputs` are standard input: before a long search, not after it.
void check_outputs(const std::vector<NamedFile>& outputs, const std::vector<NamedFile>& inputs);
/// The files of --output, --trace and --report.
std::vector<NamedFile> output_files(const OutputFlags& flags);
/// The same for these files, with check_json_alone under --json.
void check_outputs(const OutputFlags& flags, const std::vector<NamedFile>& inputs);
/// Throws Error when one of `outputs` goes to standard output, where --json prints.
void check_json_alone(const std::vector<NamedFile>& outputs);

/// Writes a file, as write_atomically does, and says so in the log; or, for "-", writes to the
/// console's results, from where summaries are then kept away. False for a file that cannot be
/// written: that is told, the run goes on, and its exit code is 1.
bool write_output(const std::string& path, std::string_view text, Console& console);
/// The same for what a search has found: where the file cannot be written, it goes to the
/// console's results, unless another output has.
bool write_result(const std::string& path, std::string_view text, Console& console);
/// Writes a file for now, while the run goes on. What is wrong, else an empty text.
std::string write_if_possible(const std::string& path, std::string_view text, Console& console);
/// Where a summary goes: to the results, unless an output does.
std::ostream& summary_stream(Console& console);

}  // namespace placer

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/shared/command.hpp"
#include "cli/shared/request.hpp"
#include "placer/sim/simulator.hpp"

namespace placer {

/// The value that `text` stands for; a text without choices may be anything. Throws Error.
OptionValue parse_flag(const OptionInfo& option, std::string_view text);

/// A flag that the line must give: {"start", "request.start", "this search began from a
/// placement"}.
struct NeededFlag {
  std::string name, place, why;
};

/// What the file of --config gives: flags of the command by name, and options of its algorithm.
struct Config {
  OptionValues flags;
  std::string algorithm = kStandardAlgorithm;  // whose options these are
  OptionValues options;
  // Flags whose values a file does not hold, or may not give.
  std::vector<NeededFlag> needed;
};

/// Reads a `placer-config` file, or the request inside a `placer-placement` file. Relative paths in
/// it begin at its folder; `devices` may be a whole spec, which becomes its text. Throws Error:
/// "FILE: JSON path: expected ..., found ...".
Config read_config(const std::string& file, const Command& command);

/// Under which rules a saved placement was found, as far as its request says so.
struct SavedRequest {
  std::optional<Order> order;
  std::optional<std::string> devices;  // a shipped name, or a spec's text
  std::optional<Objective> objective;
  bool contiguous = false;
  std::optional<std::string> stages;
  std::optional<std::string> target;  // --for
};
/// Out of `text`, a `placer-placement` file that errors call `file`.
SavedRequest parse_saved_request(const std::string& text, const std::string& file);
/// `flags`, with the saved devices where they name none, and with the saved goal where they ask for
/// nothing of the kind; `file` is what the summary calls the file.
ProblemFlags with_saved_problem(ProblemFlags flags, const SavedRequest& saved,
                                const std::string& file);

}  // namespace placer

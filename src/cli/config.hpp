#pragma once

#include <string>
#include <string_view>

#include "cli/command.hpp"

namespace placer {

/// The value that `text` stands for; a text without choices may be anything. Throws Error.
OptionValue parse_flag(const OptionInfo& option, std::string_view text);

/// What the file of --config gives: flags of the command by name, and options of its algorithm.
struct Config {
  OptionValues flags;
  std::string algorithm;  // whose options these are: the file's own "algo", else post
  OptionValues options;
};

/// Reads a `placer-config` file, or the request inside a `placer-placement` file. Throws Error:
/// "FILE: JSON path: expected ..., found ...".
Config read_config(const std::string& file, const Command& command);

}  // namespace placer

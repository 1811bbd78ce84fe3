#pragma once

#include <optional>
#include <span>
#include <string>

#include "cli/shared/command.hpp"

namespace placer {

struct ParsedLine {
  Arguments arguments;
  std::optional<std::string> help;  // asked for: print this and run nothing
  std::string note;                 // what of the config file does not count; empty: all does
};

/// The columns of help: those of `look`, at most 100; 80 where nothing limits them.
std::size_t help_width(const Look& look);

/// Parses what follows the command's name. The flags of the chosen algorithm (of --algo, else of
/// the config file, else auto) are known where the command takes them; what the file of --config
/// gives lies beneath what the line gives. Throws Error, one line, for everything that is not as
/// declared. Help is as wide as help_width() says.
ParsedLine parse_arguments(const Command& command, std::span<const std::string> line,
                           const Look& look);

}  // namespace placer

#pragma once

#include <string>
#include <vector>

#include "cli/shared/command.hpp"

namespace placer {

/// The manual page of a command in roff, section 1: what its --help says but for the options of
/// algorithms and models.
std::string man_page(const Command& command);

/// The page of the program, which lists `commands`.
std::string man_page(const std::vector<Command>& commands);

/// `placer man [COMMAND]`, where `all()` are the program's commands and `find(name)` is one of
/// them.
Command man_command(const Command& (*find)(const std::string&),
                    const std::vector<Command>& (*all)());

}  // namespace placer

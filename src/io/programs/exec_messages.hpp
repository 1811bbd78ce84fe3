#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "placer/search/search.hpp"

namespace placer {

/// The lines between this program and an algorithm of the user's; docs/exec.md says what they hold.

/// The first line: the problem, and `seed` for the program's random numbers. Throws Error for more
/// than 512 devices, of whose pairs it lists the links.
std::string problem_message(const Search& search, std::int64_t seed);
/// What a placement is worth.
std::string score_message(const Search& search, const Score& score);
/// The last line.
std::string stop_message();

/// The placement of a line; empty where the line says that the program is done. Throws Error, which
/// begins with `place`, for anything else.
std::optional<Placement> parse_answer(const std::string& line, const std::string& place,
                                      const Problem& problem);

}  // namespace placer

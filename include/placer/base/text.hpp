#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace placer {

/// `text` without white space at both ends.
inline std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kWhite = " \t\r\v\f\n";
  const std::size_t first = text.find_first_not_of(kWhite);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kWhite) + 1 - first);
}

/// What stands between the marks, without blanks around it; empty where nothing does.
std::vector<std::string> split(std::string_view text, char mark);

/// How many bytes at the front of `text` are UTF-8 characters other than zero.
std::size_t valid_utf8_length(std::string_view text);

/// Whether `text` is UTF-8 without control characters, line ends and marks that turn the direction
/// of writing: it can then be shown as it is.
bool is_printable(std::string_view text);
/// `text` with each byte of what is not printable as \x1b.
std::string printable(std::string_view text);

/// What is printable of `text`, on one line and cut to `most` bytes with "..." at the end.
std::string one_line(std::string_view text, std::size_t most);
/// A name from a file as messages show it: on one line, cut after 200 bytes. Names of ops in real
/// graphs are shorter; a message with three longer ones is still a line that can be read.
std::string shown_name(std::string_view name);

/// "a, b, c" of what is known, for a message that ends with `hint`. Of more than 16 the first ones
/// "and 7 more", so that the hint is seen; where there is none, all.
std::string listed_before(std::string_view hint, std::span<const std::string> known);

}  // namespace placer

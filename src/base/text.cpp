#include "placer/base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "placer/base/errors.hpp"

namespace placer {
namespace {

unsigned byte_at(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

bool is_plain(char letter) { return letter >= ' ' && letter <= '~'; }

/// The bytes of the UTF-8 character at the front of `text`, which is not empty; 0: there is none.
std::size_t character_length(std::string_view text) {
  const unsigned first = byte_at(text, 0);
  const std::size_t length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  const bool leads = (first > 0 && first < 0x80) || (first >= 0xc2 && first < 0xf5);
  if (!leads || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte_at(text, i) & 0xc0) != 0x80) return 0;
  }
  // Overlong forms, surrogates, beyond U+10FFFF.
  const unsigned second = length > 1 ? byte_at(text, 1) : 0;
  const bool is_none = (first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
                       (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f);
  return is_none ? 0 : length;
}

/// C0, DEL and C1; U+2028 and U+2029 end lines, U+202A to U+202E and U+2066 to U+2069 turn the
/// direction; U+FFFE and U+FFFF are no characters and may not be in XML.
bool is_control(std::string_view character) {
  const unsigned first = byte_at(character, 0);
  if (character.size() == 1) return first < 0x20 || first == 0x7f;
  if (character.size() == 2) return first == 0xc2 && byte_at(character, 1) < 0xa0;
  if (character.starts_with("\xef\xbf")) return byte_at(character, 2) >= 0xbe;
  if (!character.starts_with("\xe2\x80") && !character.starts_with("\xe2\x81")) return false;
  const unsigned last = byte_at(character, 2);
  return byte_at(character, 1) == 0x80 ? last >= 0xa8 && last <= 0xae
                                       : last >= 0xa6 && last <= 0xa9;
}

/// The bytes at the front of `text` that are one printable character; 0: there is none.
std::size_t printable_length(std::string_view text) {
  const std::size_t length = character_length(text);
  return length > 0 && is_control(text.substr(0, length)) ? 0 : length;
}

}  // namespace

std::size_t valid_utf8_length(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t length = character_length(text.substr(at));
    if (length == 0) break;
    at += length;
  }
  return at;
}

bool is_printable(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = is_plain(text[0]) ? 1 : printable_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string printable(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const std::size_t length = is_plain(text[0]) ? 1 : printable_length(text);
    if (length > 0) {
      shown += text.substr(0, length);
      text.remove_prefix(length);
      continue;
    }
    const std::size_t bytes = std::max<std::size_t>(character_length(text), 1);
    for (std::size_t i = 0; i < bytes; ++i) {
      fmt::format_to(std::back_inserter(shown), "\\x{:02x}", byte_at(text, i));
    }
    text.remove_prefix(bytes);
  }
  return shown;
}

std::string one_line(std::string_view text, std::size_t most) {
  // A character has at most four bytes, and nothing becomes shorter.
  std::string line = printable(text.substr(0, most + 4));
  if (line.size() <= most && text.size() <= most) return line;
  std::size_t end = std::min(most, line.size());
  while (end > 0 && end < line.size() && (byte_at(line, end) & 0xc0) == 0x80) --end;
  return line.substr(0, end) + "...";
}

std::string shown_name(std::string_view name) { return one_line(name, 200); }

std::string listed_before(std::string_view hint, std::span<const std::string> known) {
  constexpr std::size_t kMost = 16;
  if (hint.empty() || known.size() <= kMost) return join(known);
  return fmt::format("{} and {} more", join(known.first(kMost)), known.size() - kMost);
}

std::vector<std::string> split(std::string_view text, char mark) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(mark, begin), text.size());
    parts.emplace_back(trimmed(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return parts;
}

}  // namespace placer

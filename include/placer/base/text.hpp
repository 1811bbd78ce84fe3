#pragma once

#include <string_view>

namespace placer {

/// `text` without white space at both ends.
inline std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kWhite = " \t\r\v\f\n";
  const std::size_t first = text.find_first_not_of(kWhite);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kWhite) + 1 - first);
}

}  // namespace placer

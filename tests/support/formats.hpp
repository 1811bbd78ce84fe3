#pragma once

#include <string>
#include <string_view>

#include "placer/base/errors.hpp"
#include "placer/io/import.hpp"

namespace placer::testing {

/// A stored message with the names of all formats in the place of "{formats}".
inline std::string with_formats(std::string message) {
  constexpr std::string_view kPlace = "{formats}";
  const std::size_t at = message.find(kPlace);
  return at == std::string::npos ? message
                                 : message.replace(at, kPlace.size(), join(import_format_names()));
}

}  // namespace placer::testing

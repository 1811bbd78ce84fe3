#include "io/json/writer.hpp"

#include <fmt/format.h>

namespace placer {

std::string json_quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      quoted += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

std::string json_number(double value) { return fmt::format("{}", value); }

std::string json_key(std::string_view key) { return json_quoted(key) + ": "; }

}  // namespace placer

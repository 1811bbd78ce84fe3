#include "io/json/writer.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace placer {

void add_json_quoted(std::string& text, std::string_view value) {
  const auto is_plain = [](char c) {
    return c != '"' && c != '\\' && static_cast<unsigned char>(c) >= 0x20;
  };
  text += '"';
  while (!value.empty()) {
    const auto special = std::ranges::find_if_not(value, is_plain);
    text.append(value.begin(), special);
    value.remove_prefix(static_cast<std::size_t>(special - value.begin()));
    if (value.empty()) break;
    const char c = value.front();
    value.remove_prefix(1);
    text += c == '"' || c == '\\' ? std::string{'\\', c}
                                  : fmt::format("\\u{:04x}", static_cast<unsigned>(c));
  }
  text += '"';
}

void add_json_key(std::string& text, std::string_view key) {
  if (!text.ends_with('{')) text += ", ";
  add_json_quoted(text, key);
  text += ": ";
}

std::string json_quoted(std::string_view text) {
  std::string quoted;
  add_json_quoted(quoted, text);
  return quoted;
}

std::string json_number(double value) { return fmt::format("{}", value); }

std::string json_key(std::string_view key) { return json_quoted(key) + ": "; }

}  // namespace placer

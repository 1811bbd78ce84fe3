#include "io/json_text.hpp"

#include <fmt/format.h>

namespace placer {

std::string json_quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (byte < 0x20) {
      quoted += fmt::format("\\u{:04x}", byte);
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

std::string json_number(double number) { return fmt::format("{}", number); }

std::string json_list(std::span<const std::string> names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + json_quoted(name);
  return "[" + list + "]";
}

JsonLine& JsonLine::raw(std::string_view key, std::string_view value) {
  if (!members_.empty()) members_ += ", ";
  members_ += json_quoted(key);
  members_ += ": ";
  members_ += value;
  return *this;
}

JsonLine& JsonLine::text(std::string_view key, std::string_view value) {
  return raw(key, json_quoted(value));
}

JsonLine& JsonLine::integer(std::string_view key, std::int64_t value) {
  return raw(key, fmt::format("{}", value));
}

JsonLine& JsonLine::number(std::string_view key, double value) {
  return raw(key, json_number(value));
}

}  // namespace placer

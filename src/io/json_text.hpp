#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace placer {

/// In double quotes, escaped.
std::string json_quoted(std::string_view text);
/// The shortest text that reads back as `number`, which is finite.
std::string json_number(double number);
/// ["a", "b"]
std::string json_list(std::span<const std::string> names);

/// One object on one line, member by member: {"name": "a", "flops": 12}.
class JsonLine {
 public:
  JsonLine& text(std::string_view key, std::string_view value);
  JsonLine& integer(std::string_view key, std::int64_t value);
  JsonLine& number(std::string_view key, double value);
  /// `value` is JSON already.
  JsonLine& raw(std::string_view key, std::string_view value);
  std::string done() const { return members_.empty() ? "{}" : "{" + members_ + "}"; }

 private:
  std::string members_;
};

}  // namespace placer

#pragma once

#include <string>
#include <string_view>

namespace placer {

/// Adds `value` as a JSON string, quotes included.
void add_json_quoted(std::string& text, std::string_view value);
/// Adds `"key": `, after a comma unless an object has just been opened.
void add_json_key(std::string& text, std::string_view key);
/// `text` as a JSON string, quotes included.
std::string json_quoted(std::string_view text);
/// The shortest form that reads back as the same number.
std::string json_number(double value);
/// `"key": `
std::string json_key(std::string_view key);

}  // namespace placer

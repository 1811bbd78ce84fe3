#include "io/json/writer.hpp"

#include <fmt/format.h>

#include <iterator>

namespace placer {

void JsonWriter::key(std::string_view name) {
  separate();
  quote(name);
  text_ += style_.spaces ? ": " : ":";
  has_key_ = true;
}

void JsonWriter::value(std::string_view text) {
  separate();
  quote(text);
}

void JsonWriter::json(std::string_view text) {
  separate();
  text_ += text;
}

void JsonWriter::integer(std::int64_t number) {
  separate();
  fmt::format_to(std::back_inserter(text_), "{}", number);
}

void JsonWriter::real(double number) {
  separate();
  fmt::format_to(std::back_inserter(text_), "{}", number);
}

void JsonWriter::begin(char bracket, Layout layout) {
  separate();
  text_ += bracket;
  levels_.push_back({layout});
}

void JsonWriter::end(char bracket) {
  const Level level = levels_.back();
  levels_.pop_back();
  if (breaks_ || (level.layout == Layout::kLines && !level.is_empty)) new_line();
  text_ += bracket;
}

void JsonWriter::separate() {
  if (has_key_) {
    has_key_ = false;
    return;
  }
  if (levels_.empty()) return;
  Level& level = levels_.back();
  const bool breaks = breaks_ || level.layout == Layout::kLines;
  if (!level.is_empty) text_ += breaks || !style_.spaces ? "," : ", ";
  level.is_empty = false;
  if (breaks) new_line();
}

void JsonWriter::new_line() {
  breaks_ = false;
  text_ += '\n';
  text_.append(levels_.size() * static_cast<std::size_t>(style_.indent), ' ');
}

void JsonWriter::quote(std::string_view text) {
  text_ += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      text_ += '\\';
      text_ += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      fmt::format_to(std::back_inserter(text_), "\\u{:04x}", static_cast<unsigned>(c));
    } else {
      text_ += c;
    }
  }
  text_ += '"';
}

}  // namespace placer

#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "placer/base/text.hpp"
#include "placer/io/json_reader.hpp"

namespace placer {

/// A file to import, as text and, on demand, as JSON.
class ImportSource {
 public:
  ImportSource(const std::string& text, const std::string& file) : text_(text), file_(file) {}
  ImportSource(const ImportSource&) = delete;
  ImportSource& operator=(const ImportSource&) = delete;

  const std::string& text() const { return text_; }
  const std::string& file() const { return file_; }
  /// The file's name without folder and endings: what the graph is called.
  std::string stem() const;
  /// Whether the first character that is not white space is an opening brace.
  bool is_json() const;
  /// The contents as JSON. Throws Error for broken JSON.
  const JsonDocument& json();
  /// True for a JSON object that has all of these keys. Throws Error for broken JSON.
  bool has_keys(std::initializer_list<std::string_view> keys);
  /// Throws Error "FILE: PLACE: expected ..., found ..."; an empty place is left out.
  [[noreturn]] void fail(std::string_view place, std::string_view expected,
                         std::string_view found) const;

 private:
  const std::string& text_;
  const std::string& file_;
  std::optional<JsonDocument> json_;
};

}  // namespace placer

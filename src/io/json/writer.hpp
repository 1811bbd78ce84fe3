#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace placer {

/// Writes one JSON text from front to back: a graph of a million ops makes hundreds of megabytes,
/// so that no tree of values is built. Reals are in the shortest form that reads back as the same
/// number. The caller closes what it opens, and gives a key before each value of an object.
class JsonWriter {
 public:
  /// Whether the items of an object or array follow each other on one line, or each begins a line.
  enum class Layout { kInline, kLines };
  struct Style {
    int indent = 2;      // spaces before a line, for each level
    bool spaces = true;  // after colons and commas
  };

  JsonWriter() = default;
  explicit JsonWriter(const Style& style) : style_(style) {}

  void begin_object(Layout layout = Layout::kInline) { begin('{', layout); }
  void end_object() { end('}'); }
  void begin_array(Layout layout = Layout::kInline) { begin('[', layout); }
  void end_array() { end(']'); }
  /// The next item of an inline object or array begins a line.
  void break_line() { breaks_ = true; }

  void key(std::string_view name);
  void value(std::string_view text);
  void value(const char* text) { value(std::string_view(text)); }
  void value(std::same_as<bool> auto boolean) { json(boolean ? "true" : "false"); }
  void value(std::same_as<double> auto number) { real(number); }
  template <std::integral Integer>
  requires(!std::same_as<Integer, bool>) void value(Integer number) {
    integer(static_cast<std::int64_t>(number));
  }
  /// A whole value that is JSON already.
  void json(std::string_view text);

  void member(std::string_view name, const auto& item) {
    key(name);
    value(item);
  }
  /// An array with a value for each of `items`.
  void list(std::string_view name, const auto& items) {
    key(name);
    begin_array();
    for (const auto& item : items) value(item);
    end_array();
  }

  /// What has been written so far.
  const std::string& text() const { return text_; }
  std::string take() && { return std::move(text_); }

 private:
  struct Level {
    Layout layout;
    bool is_empty = true;
  };

  void begin(char bracket, Layout layout);
  void end(char bracket);
  /// What stands between the item before and the next one.
  void separate();
  void new_line();
  void quote(std::string_view text);
  void integer(std::int64_t number);
  void real(double number);

  Style style_;
  std::string text_;
  std::vector<Level> levels_;
  bool breaks_ = false;
  bool has_key_ = false;
};

}  // namespace placer

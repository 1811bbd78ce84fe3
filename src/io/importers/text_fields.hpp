#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "io/importers/source.hpp"
#include "placer/base/text.hpp"

namespace placer {

/// Throws Error, with the line, for bytes that are no UTF-8 or are zero.
void require_utf8(const ImportSource& source);

/// The number that all of `text` is, else nothing.
template <class Number>
std::optional<Number> parsed_number(std::string_view text) {
  Number number{};
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// Takes a text apart into lines; `place()` is the last one's, for messages.
class TextLines {
 public:
  explicit TextLines(std::string_view text) : rest_(text) {}
  /// The next line without its end; nothing after the last.
  std::optional<std::string_view> next();
  std::string place() const;

 private:
  std::string_view rest_;
  std::size_t number_ = 0;
};

/// Takes a text apart into words between white space. Lines that begin with '#' are left out.
class TextWords {
 public:
  explicit TextWords(const ImportSource& source) : source_(source), lines_(source.text()) {}

  /// True where no word is left.
  bool at_end();
  /// How many words are left on this line.
  std::size_t left_on_line() const;
  std::int64_t integer(std::int64_t least, std::int64_t most, std::string_view meaning);
  double number(double least, double most, std::string_view meaning);
  [[noreturn]] void fail(std::string_view expected, std::string_view found) const;

 private:
  std::string_view word(std::string_view meaning);

  const ImportSource& source_;
  TextLines lines_;
  std::string_view line_;
};

}  // namespace placer

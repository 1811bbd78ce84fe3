#include "io/importers/text_fields.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace placer {
namespace {

constexpr std::string_view kSpace = " \t\r\v\f\n";

std::string quoted(std::string_view word) { return fmt::format("'{}'", one_line(word, 60)); }

}  // namespace

void require_utf8(const ImportSource& source) {
  const std::size_t at = valid_utf8_length(source.text());
  if (at == source.text().size()) return;
  const auto lines = std::ranges::count(std::string_view(source.text()).substr(0, at), '\n');
  source.fail(fmt::format("line {}", lines + 1), "UTF-8 text",
              fmt::format("the byte 0x{:02X}", static_cast<unsigned char>(source.text()[at])));
}

std::optional<std::string_view> TextLines::next() {
  if (rest_.empty()) return std::nullopt;
  ++number_;
  const std::size_t end = rest_.find('\n');
  const std::string_view line = rest_.substr(0, end);
  rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
  return line;
}

std::string TextLines::place() const { return fmt::format("line {}", number_); }

bool TextWords::at_end() {
  while (line_.empty()) {
    const std::optional<std::string_view> next = lines_.next();
    if (!next) return true;
    if (!next->starts_with('#')) line_ = trimmed(*next);
  }
  return false;
}

std::size_t TextWords::left_on_line() const {
  std::size_t words = 0;
  bool in_word = false;
  for (const char c : line_) {
    const bool is_space = kSpace.find(c) != std::string_view::npos;
    if (!is_space && !in_word) ++words;
    in_word = !is_space;
  }
  return words;
}

std::string_view TextWords::word(std::string_view meaning) {
  if (at_end()) source_.fail("", meaning, "the end of the file");
  const std::size_t end = line_.find_first_of(kSpace);
  const std::string_view word = line_.substr(0, end);
  line_ = end == std::string_view::npos ? std::string_view() : trimmed(line_.substr(end));
  return word;
}

std::int64_t TextWords::integer(std::int64_t least, std::int64_t most, std::string_view meaning) {
  const std::string_view text = word(meaning);
  const auto number = parsed_number<std::int64_t>(text);
  if (number && *number >= least && *number <= most) return *number;
  if (least == most) fail(meaning, quoted(text));
  fail(fmt::format("{}, an integer from {} to {}", meaning, least, most), quoted(text));
}

double TextWords::number(double least, double most, std::string_view meaning) {
  const std::string_view text = word(meaning);
  const auto number = parsed_number<double>(text);
  if (number && *number >= least && *number <= most) return *number;
  fail(fmt::format("{}, a number from {} to {}", meaning, least, most), quoted(text));
}

void TextWords::fail(std::string_view expected, std::string_view found) const {
  source_.fail(lines_.place(), expected, found);
}

}  // namespace placer

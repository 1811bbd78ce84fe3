#include "io/importers/source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace placer {

std::string ImportSource::stem() const {
  const std::string name = std::filesystem::path(file_).filename().string();
  const std::string stem = one_line(name.substr(0, name.find('.', 1)), 200);
  return stem.empty() || valid_utf8_length(stem) < stem.size() ? "imported" : stem;
}

bool ImportSource::is_json() const {
  const std::size_t at = text_.find_first_not_of(" \t\r\n");
  return at != std::string::npos && text_[at] == '{';
}

JsonValue& ImportSource::json() {
  if (!json_) json_ = parse_json(text_, file_);
  return *json_;
}

bool ImportSource::has_keys(std::initializer_list<std::string_view> keys) {
  if (!is_json()) return false;
  const auto& members = std::get<JsonValue::Object>(json().value);
  return std::ranges::all_of(keys, [&](std::string_view key) {
    return std::ranges::find(members, key, &JsonMember::key) != members.end();
  });
}

void ImportSource::fail(std::string_view place, std::string_view expected,
                        std::string_view found) const {
  throw Error(fmt::format("{}: {}{}expected {}, found {}", file_, place, place.empty() ? "" : ": ",
                          expected, found));
}

std::size_t valid_utf8_length(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
    const unsigned first = byte(0);
    const std::size_t length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    const bool leads = (first > 0 && first < 0x80) || (first >= 0xc2 && first < 0xf5);
    if (!leads || at + length > text.size()) return at;
    for (std::size_t i = 1; i < length; ++i) {
      if ((byte(i) & 0xc0) != 0x80) return at;
    }
    // Overlong forms, surrogates, beyond U+10FFFF.
    if ((first == 0xe0 && byte(1) < 0xa0) || (first == 0xed && byte(1) > 0x9f) ||
        (first == 0xf0 && byte(1) < 0x90) || (first == 0xf4 && byte(1) > 0x8f)) {
      return at;
    }
    at += length;
  }
  return at;
}

}  // namespace placer

#include "io/importers/source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace placer {

std::string ImportSource::stem() const {
  const std::string name = std::filesystem::path(file_).filename().string();
  const std::string stem = one_line(name.substr(0, name.find('.', 1)), 200);
  return stem.empty() ? "imported" : stem;
}

bool ImportSource::is_json() const {
  const std::size_t at = text_.find_first_not_of(" \t\r\n");
  return at != std::string::npos && text_[at] == '{';
}

const JsonDocument& ImportSource::json() {
  if (!json_) json_ = parse_json(text_, file_);
  return *json_;
}

bool ImportSource::has_keys(std::initializer_list<std::string_view> keys) {
  if (!is_json()) return false;
  const auto& members = std::get<JsonValue::Object>(json().root.value);
  return std::ranges::all_of(keys, [&](std::string_view key) {
    return std::ranges::find(members, key, &JsonMember::key) != members.end();
  });
}

void ImportSource::fail(std::string_view place, std::string_view expected,
                        std::string_view found) const {
  throw Error(fmt::format("{}: {}{}expected {}, found {}", file_, place, place.empty() ? "" : ": ",
                          expected, found));
}

}  // namespace placer

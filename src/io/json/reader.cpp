#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "placer/base/errors.hpp"
#include "placer/base/text.hpp"
#include "placer/io/json_reader.hpp"

namespace placer {
namespace {

constexpr std::size_t kLongestFound = 60;
constexpr std::size_t kMarked = 64;  // members of an object

std::string range_text(std::string_view kind, double least, double most, double unlimited) {
  if (most < unlimited) return fmt::format("{} from {} to {}", kind, least, most);
  return fmt::format("{} from {}", kind, least);
}

}  // namespace

std::string JsonCursor::path() const {
  if (parent_ == nullptr) return {};
  if (key_.data() == nullptr) return json_element_path(parent_->path(), index_);
  return json_member_path(parent_->path(), key_);
}

std::string JsonCursor::place() const {
  const std::string path = one_line(this->path(), 200);
  return path.empty() ? *file_ : *file_ + ": " + path;
}

void JsonCursor::fail(std::string_view expected, std::string_view found) const {
  throw Error(fmt::format("{}: expected {}, found {}", place(), expected, found));
}

void JsonCursor::fail(std::string_view expected) const { fail(expected, found_text()); }

std::string JsonCursor::found_text() const {
  struct Describe {
    std::string operator()(std::nullptr_t) const { return "null"; }
    std::string operator()(bool value) const { return value ? "true" : "false"; }
    std::string operator()(std::int64_t value) const { return fmt::format("{}", value); }
    std::string operator()(double value) const { return fmt::format("{}", value); }
    std::string operator()(std::string_view value) const {
      return fmt::format("'{}'", one_line(value, kLongestFound));
    }
    std::string operator()(JsonValue::Array) const { return "an array"; }
    std::string operator()(JsonValue::Object) const { return "an object"; }
  };
  return std::visit(Describe{}, value_->value);
}

bool JsonCursor::boolean() const {
  const bool* value = std::get_if<bool>(&value_->value);
  if (value == nullptr) fail("true or false");
  return *value;
}

std::int64_t JsonCursor::integer(std::int64_t least, std::int64_t most) const {
  if (const auto* value = std::get_if<std::int64_t>(&value_->value)) {
    if (*value >= least && *value <= most) return *value;
  } else if (const auto* real = std::get_if<double>(&value_->value)) {
    if (*real == std::floor(*real) && *real >= static_cast<double>(least) &&
        *real <= static_cast<double>(most)) {
      return static_cast<std::int64_t>(*real);
    }
  }
  fail(fmt::format("an integer from {} to {}", least, most));
}

double JsonCursor::number(double least, double most) const {
  if (const auto* value = std::get_if<double>(&value_->value)) {
    if (*value >= least && *value <= most) return *value;
  } else if (const auto* integer = std::get_if<std::int64_t>(&value_->value)) {
    const auto real = static_cast<double>(*integer);
    if (real >= least && real <= most) return real;
  }
  fail(range_text("a number", least, most, std::numeric_limits<double>::max()));
}

double JsonCursor::positive_number() const {
  if (const auto* value = std::get_if<double>(&value_->value); value != nullptr && *value > 0) {
    return *value;
  }
  if (const auto* value = std::get_if<std::int64_t>(&value_->value);
      value != nullptr && *value > 0) {
    return static_cast<double>(*value);
  }
  fail("a number above 0");
}

std::string_view JsonCursor::text() const {
  const auto* text = std::get_if<std::string_view>(&value_->value);
  if (text == nullptr) fail("a string");
  if (!is_printable(*text)) fail("a string without control characters");
  return *text;
}

std::string_view JsonCursor::name() const {
  const std::string_view name = text();
  if (name.empty()) fail("a name", "an empty string");
  return name;
}

std::string_view JsonCursor::one_of(std::span<const std::string> names) const {
  const auto found = std::ranges::find(names, name());
  if (found != names.end()) return *found;
  fail(join(names, " or "), found_text() + did_you_mean(name(), names));
}

void JsonCursor::check_key() const {
  if (key_.empty()) parent_->fail("names as keys", "an empty key");
  if (!is_printable(key_)) {
    parent_->fail("keys without control characters",
                  fmt::format("'{}'", one_line(key_, kLongestFound)));
  }
}

JsonValue::Array JsonCursor::array() const {
  const auto* array = std::get_if<JsonValue::Array>(&value_->value);
  if (array == nullptr) fail("an array");
  return *array;
}

JsonValue::Object JsonCursor::object() const {
  const auto* object = std::get_if<JsonValue::Object>(&value_->value);
  if (object == nullptr) fail("an object");
  return *object;
}

std::optional<JsonCursor> JsonObject::find(std::string_view key) {
  asked_.push_back(key);
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (members_[i].key != key) continue;
    if (i < kMarked) found_ |= std::uint64_t{1} << i;
    return JsonCursor(members_[i].value, cursor_, members_[i].key, 0);
  }
  return std::nullopt;
}

bool JsonObject::has(std::string_view key) const {
  return std::ranges::any_of(members_, [&](const JsonMember& member) { return member.key == key; });
}

JsonCursor JsonObject::required(std::string_view key) {
  if (std::optional<JsonCursor> found = find(key)) return *found;
  std::vector<std::string> keys;
  for (const JsonMember& member : members_) keys.push_back(one_line(member.key, 24));
  constexpr std::size_t kShown = 8;
  if (keys.size() > kShown) {
    keys.resize(kShown);
    keys.emplace_back("...");
  }
  cursor_.fail(fmt::format("the key '{}'", key),
               keys.empty() ? "an empty object" : "only " + join(keys));
}

void JsonObject::no_other_keys() const {
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const bool is_found = i < kMarked && (found_ >> i & 1) != 0;
    if (is_found || std::ranges::find(asked_, members_[i].key) != asked_.end()) continue;
    std::vector<std::string> known;
    for (const std::string_view key : asked_) {
      if (std::ranges::find(known, key) == known.end()) known.emplace_back(key);
    }
    const std::string key = one_line(members_[i].key, kLongestFound);
    const std::string hint = did_you_mean(key, known);
    cursor_.fail(known.empty() ? "no keys" : "one of the keys " + listed_before(hint, known),
                 fmt::format("'{}'{}", key, hint));
  }
}

void check_format(JsonObject& file, std::string_view format, std::int64_t version) {
  const JsonCursor found = file.required("format");
  if (found.name() != format) found.fail(fmt::format("'{}'", format));
  const JsonCursor given = file.required("version");
  const auto* number = std::get_if<std::int64_t>(&given.value_->value);
  if (number == nullptr || *number != version) given.fail(fmt::format("{}", version));
}

}  // namespace placer

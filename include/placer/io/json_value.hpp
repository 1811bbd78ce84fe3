#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "placer/base/text.hpp"

namespace placer {

struct JsonMember;

/// A parsed JSON text. Objects keep the order of the file; their keys are unique. Integers that fit
/// are int64, all other numbers doubles.
struct JsonValue {
  using Array = std::vector<JsonValue>;
  using Object = std::vector<JsonMember>;
  std::variant<std::nullptr_t, bool, std::int64_t, double, std::string, Array, Object> value;
};

struct JsonMember {
  std::string key;
  JsonValue value;
};

/// `path` extended by a member: "devices.links", or "seconds[\"a b\"]" for a key that would blur
/// it.
std::string json_member_path(const std::string& path, std::string_view key);
/// `path` extended by an element: "ops[3]".
std::string json_element_path(const std::string& path, std::size_t index);

/// Throws Error, "FILE: line L, column C: expected ..., found ...", for what is not JSON, and
/// "FILE: PATH: ..." for a key that an object holds twice and for nesting deeper than 64 levels.
JsonValue parse_json(const std::string& text, const std::string& file);

}  // namespace placer

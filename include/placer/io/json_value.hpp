#pragma once

#include <cstdint>
#include <memory>
#include <memory_resource>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "placer/base/text.hpp"

namespace placer {

struct JsonMember;

/// A value of a JsonDocument, which holds its text, elements and members. Objects keep the order of
/// the file; their keys are unique. Integers that fit are int64, all other numbers doubles.
struct JsonValue {
  using Array = std::span<const JsonValue>;
  using Object = std::span<const JsonMember>;
  std::variant<std::nullptr_t, bool, std::int64_t, double, std::string_view, Array, Object> value;
};

struct JsonMember {
  std::string_view key;
  JsonValue value;
};

/// A parsed JSON text. Values stay where they are when it is moved.
struct JsonDocument {
  std::unique_ptr<std::pmr::monotonic_buffer_resource> memory;
  JsonValue root;
};

/// `path` extended by a member: "devices.links", or "seconds[\"a b\"]" for a key that would blur
/// it.
std::string json_member_path(const std::string& path, std::string_view key);
/// `path` extended by an element: "ops[3]".
std::string json_element_path(const std::string& path, std::size_t index);

/// Throws Error, "FILE: line L, column C: expected ..., found ...", for what is not JSON, and
/// "FILE: PATH: ..." for a key that an object holds twice and for nesting deeper than 64 levels.
JsonDocument parse_json(const std::string& text, const std::string& file);

}  // namespace placer

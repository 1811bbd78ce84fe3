#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "placer/base/errors.hpp"
#include "placer/base/names.hpp"
#include "placer/io/json_value.hpp"

namespace placer {

/// The largest integer that every JSON reader keeps exactly.
inline constexpr std::int64_t kLargestInteger = 9'007'199'254'740'992;  // 2^53

class JsonObject;

/// A value and its place in a file. Places are built only for messages, along the parents, which
/// must outlive their children. All getters throw Error, "FILE: PATH: expected ..., found ...".
class JsonCursor {
 public:
  JsonCursor(const JsonDocument& document, const std::string& file)
      : value_(&document.root), file_(&file) {}

  const std::string& file() const { return *file_; }
  /// "ops[3].seconds"; empty for the file's root.
  std::string path() const;
  /// "FILE: PATH", or "FILE" for the root.
  std::string place() const;
  [[noreturn]] void fail(std::string_view expected, std::string_view found) const;
  /// Throws Error that shows the value itself as what was found.
  [[noreturn]] void fail(std::string_view expected) const;

  bool is_object() const { return std::holds_alternative<JsonValue::Object>(value_->value); }
  bool is_number() const {
    return std::holds_alternative<std::int64_t>(value_->value) ||
           std::holds_alternative<double>(value_->value);
  }
  bool is_null() const { return std::holds_alternative<std::nullptr_t>(value_->value); }
  bool is_text() const { return std::holds_alternative<std::string_view>(value_->value); }
  bool boolean() const;
  /// A number without a fraction, 1.2e10 included.
  std::int64_t integer(std::int64_t least, std::int64_t most = kLargestInteger) const;
  /// A finite number from `least` to `most`.
  double number(double least, double most = std::numeric_limits<double>::max()) const;
  double positive_number() const;
  /// A text without control characters, as a view that lives as long as the document.
  std::string_view text() const;
  /// The same, for a text that is not empty.
  std::string_view name() const;
  /// The value of an enum by one of its names.
  template <class E>
  E one_of() const {
    return named<E>(one_of(all_names<E>()));
  }

  /// visit(element) for each element of an array; returns how many there are.
  template <class Visit>
  std::size_t for_each_element(Visit visit) const {
    const JsonValue::Array elements = array();
    for (std::size_t i = 0; i < elements.size(); ++i) {
      visit(JsonCursor(elements[i], *this, {}, i));
    }
    return elements.size();
  }
  /// visit(key, value) for each member of an object whose keys are free; keys are checked like
  /// names, but that one may be empty with `keys_may_be_empty`.
  template <class Visit>
  void for_each_member(Visit visit, bool keys_may_be_empty = false) const {
    for (const JsonMember& member : object()) {
      const JsonCursor value(member.value, *this, member.key, 0);
      if (!keys_may_be_empty || !member.key.empty()) value.check_key();
      visit(member.key, value);
    }
  }
  std::size_t size() const { return array().size(); }

 private:
  friend class JsonObject;
  friend void check_format(JsonObject& file, std::string_view format, std::int64_t version);
  JsonCursor(const JsonValue& value, const JsonCursor& parent, std::string_view key,
             std::size_t index)
      : value_(&value), file_(parent.file_), parent_(&parent), key_(key), index_(index) {}

  JsonValue::Array array() const;
  JsonValue::Object object() const;
  std::string_view one_of(std::span<const std::string> names) const;
  void check_key() const;
  std::string found_text() const;

  const JsonValue* value_;
  const std::string* file_;
  const JsonCursor* parent_ = nullptr;
  std::string_view key_;
  std::size_t index_ = 0;
};

/// An object with known keys: those that are asked for. Lives on the stack while it is read.
class JsonObject {
 public:
  explicit JsonObject(const JsonCursor& cursor) : cursor_(cursor), members_(cursor.object()) {}
  JsonObject(const JsonCursor&&) = delete;  // the cursor must outlive the object
  JsonObject(const JsonObject&) = delete;
  JsonObject& operator=(const JsonObject&) = delete;

  const JsonCursor& cursor() const { return cursor_; }
  JsonCursor required(std::string_view key);
  std::optional<JsonCursor> find(std::string_view key);
  bool has(std::string_view key) const;
  /// Throws Error for a key that nobody asked for, with the nearest one.
  void no_other_keys() const;

 private:
  const JsonCursor& cursor_;
  JsonValue::Object members_;
  std::array<std::byte, 1024> first_memory_;  // most objects need no more
  std::pmr::monotonic_buffer_resource memory_{first_memory_.data(), first_memory_.size()};
  std::pmr::vector<std::string_view> asked_{&memory_};
  std::uint64_t found_ = 0;  // bits of the first members
};

/// Checks `format` and `version`.
void check_format(JsonObject& file, std::string_view format, std::int64_t version = 1);

/// Calls `build`. The places in the Errors that it throws are relative to `cursor`, whose own place
/// is put in front of them.
template <class Build>
auto with_place(const JsonCursor& cursor, Build build) {
  try {
    return build();
  } catch (const Error& error) {
    const std::string path = cursor.path();
    throw Error(cursor.file() + ": " + (path.empty() ? "" : path + ".") + error.what());
  }
}

}  // namespace placer

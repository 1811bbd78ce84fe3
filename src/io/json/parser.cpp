#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "placer/base/errors.hpp"
#include "placer/io/json_value.hpp"

namespace placer {
namespace {

constexpr std::size_t kDeepest = 64;
constexpr std::size_t kFewMembers = 16;

/// The position of the second of two members with one key.
std::optional<std::size_t> repeated_key(JsonValue::Object object) {
  if (object.size() <= kFewMembers) {
    for (std::size_t i = 1; i < object.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (object[i].key == object[j].key) return i;
      }
    }
    return std::nullopt;
  }
  std::vector<std::size_t> order(object.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return object[i].key; });
  const auto same = [&](std::size_t i, std::size_t j) { return object[i].key == object[j].key; };
  const auto at = std::ranges::adjacent_find(order, same);
  if (at == order.end()) return std::nullopt;
  return at[1];
}

std::string line_and_column(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const auto lines = std::ranges::count(before, '\n');
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return fmt::format("line {}, column {}", lines + 1, offset - line_start + 1);
}

/// What stands at `offset`, for people.
std::string found_at(std::string_view text, std::size_t offset) {
  constexpr std::size_t kLongest = 24;
  constexpr std::string_view kMarks = "{}[]:,\"";
  const auto printable = [](char c) { return c > ' ' && c < '\x7f'; };
  const auto is_mark = [&](char c) { return kMarks.find(c) != std::string_view::npos; };
  if (offset >= text.size()) return "the end of the file";
  const std::string_view rest = text.substr(offset);
  if (!printable(rest[0])) {
    return fmt::format("the byte 0x{:02X}", static_cast<unsigned char>(rest[0]));
  }
  std::size_t length = 1;
  if (rest[0] == '"') {
    length = std::min(rest.find('"', 1), rest.size() - 1) + 1;
  } else if (!is_mark(rest[0])) {
    while (length < rest.size() && printable(rest[length]) && !is_mark(rest[length])) ++length;
  }
  return one_line(rest.substr(0, length), kLongest);
}

/// Where the token that the parser has just refused begins; `read` bytes were read. `token` is its
/// text for strings and numbers only, with control characters shown as <U+000A>.
std::size_t token_start(std::string_view text, std::size_t read, std::string_view token,
                        std::string_view message) {
  const auto unexpected = [&](std::string_view kind) {
    return message.find(fmt::format("unexpected {}", kind)) != std::string_view::npos;
  };
  if (unexpected("end of input")) return text.size();
  const std::size_t last = std::min(read == 0 ? 0 : read - 1, text.size());
  std::size_t length = 1;
  if (unexpected("string literal") || unexpected("number literal")) {
    length = token.size();
  } else if (unexpected("false")) {
    length = 5;
  } else if (unexpected("true") || unexpected("null")) {
    length = 4;
  } else if (message.find("invalid literal") != std::string_view::npos) {
    const auto letter = [](char c) { return c >= 'a' && c <= 'z'; };
    while (length <= last && letter(text[last - length])) ++length;
  }
  return last + 1 - std::min(length, last + 1);
}

std::string_view between(std::string_view text, std::string_view left, std::string_view right) {
  const std::size_t at = text.find(left);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + left.size());
  return text.substr(0, text.find(right));
}

std::string_view expected_in(std::string_view context, std::string_view message) {
  if (context == "array") return "',' or ']'";
  if (context == "object") return "',' or '}'";
  if (context == "object key") return "a key in double quotes";
  if (context == "object separator") return "':'";
  return message.ends_with("expected end of input") ? "the end of the file" : "a value";
}

/// Says in our words what the library says of a syntax error.
std::string syntax_fault(std::string_view text, std::size_t read, std::string_view token,
                         std::string_view message) {
  const std::size_t last = std::min(read == 0 ? 0 : read - 1, text.size());
  const std::string_view reason = between(message, " - ", "; last read");
  if (reason.starts_with("invalid string: ")) {
    return fmt::format("{}: expected a string, found one that is broken ({})",
                       line_and_column(text, last), reason.substr(16));
  }
  if (reason.starts_with("invalid number; ")) {
    return fmt::format("{}: expected a number, found a broken one ({})",
                       line_and_column(text, last), reason.substr(16));
  }
  const std::size_t start = token_start(text, read, token, message);
  const std::string_view context = between(message, "while parsing ", " - ");
  return fmt::format("{}: expected {}, found {}", line_and_column(text, start),
                     expected_in(context, message), found_at(text, start));
}

/// Builds the document from the parser's events. The elements and members of open containers wait
/// on stacks, until the container closes and is written to the document's memory whole.
class Builder {
 public:
  Builder(const std::string& text, const std::string& file) : text_(text), file_(file) {}

  JsonDocument take() { return std::move(document_); }

  bool null() { return add(nullptr); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(std::int64_t value) { return add(value); }
  bool number_unsigned(std::uint64_t value) {
    if (std::in_range<std::int64_t>(value)) return add(static_cast<std::int64_t>(value));
    return add(static_cast<double>(value));
  }
  bool number_float(double value, const std::string&) { return add(value); }
  bool string(const std::string& value) { return add(kept(value)); }
  bool binary(nlohmann::json::binary_t&) { return false; }
  bool start_object(std::size_t) { return open(false); }
  bool start_array(std::size_t) { return open(true); }
  bool key(const std::string& key) {
    members_.push_back({kept_key(key), {}});
    return true;
  }
  bool end_array() {
    const JsonValue::Array array = close(elements_, open_.back().elements);
    place().value = array;
    return true;
  }
  bool end_object() {
    const JsonValue::Object object = close(members_, open_.back().members);
    if (const std::optional<std::size_t> repeated = repeated_key(object)) {
      throw Error(fmt::format("{}: {}: expected each key once, found it twice", file_,
                              one_line(json_member_path(path(), object[*repeated].key), 200)));
    }
    place().value = object;
    return true;
  }
  bool parse_error(std::size_t read, const std::string& token, const std::exception& exception) {
    const std::string_view message = exception.what();
    if (message.find("number overflow") != std::string_view::npos) {
      const std::size_t start = std::min(read - std::min(token.size(), read), text_.size());
      throw Error(fmt::format("{}: {}: expected a number up to 1.8e308, found {}", file_,
                              line_and_column(text_, start), found_at(text_, start)));
    }
    throw Error(file_ + ": " + one_line(syntax_fault(text_, read, token, message), 300));
  }

 private:
  struct Open {
    bool is_array;
    std::size_t elements, members;  // how many wait when it opens
  };

  /// Where the value goes that the parser reads.
  JsonValue& place() {
    if (open_.empty()) return document_.root;
    return open_.back().is_array ? elements_.back() : members_.back().value;
  }

  template <class T>
  bool add(T value) {
    if (!open_.empty() && open_.back().is_array) elements_.emplace_back();
    place().value = value;
    return true;
  }

  bool open(bool is_array) {
    add(nullptr);
    open_.push_back({is_array, elements_.size(), members_.size()});
    if (open_.size() <= kDeepest) return true;
    throw Error(fmt::format("{}: {}: expected at most {} levels of nesting, found more", file_,
                            one_line(path(), 60), kDeepest));
  }

  /// Moves what waits of the innermost container, from `begin` on, to the document.
  template <class T>
  std::span<const T> close(std::vector<T>& waiting, std::size_t begin) {
    const std::span<const T> kept = copied(std::span<const T>(waiting).subspan(begin));
    waiting.resize(begin);
    open_.pop_back();
    return kept;
  }

  template <class T>
  std::span<const T> copied(std::span<const T> items) {
    if (items.empty()) return {};
    auto* copy = static_cast<T*>(document_.memory->allocate(items.size_bytes(), alignof(T)));
    std::ranges::uninitialized_copy(items, std::span(copy, items.size()));
    return {copy, items.size()};
  }

  std::string_view kept(std::string_view text) {
    const std::span<const char> copy = copied(std::span<const char>(text));
    return {copy.data(), copy.size()};
  }

  /// The same few keys come again and again, and are kept once.
  std::string_view kept_key(std::string_view key) {
    if (key.empty()) return key;
    const auto first = static_cast<unsigned char>(key.front());
    std::string_view& known = keys_[(key.size() + first) % keys_.size()];
    if (known != key) known = kept(key);
    return known;
  }

  /// The place of the innermost open container; its own end has been popped where one has just
  /// closed.
  std::string path() const {
    std::string path;
    for (std::size_t i = 0; i < open_.size(); ++i) {
      const Open& at = open_[i];
      const Open end =
          i + 1 < open_.size() ? open_[i + 1] : Open{false, elements_.size(), members_.size()};
      if (at.is_array && end.elements > at.elements) {
        path = json_element_path(path, end.elements - at.elements - 1);
      } else if (!at.is_array && end.members > at.members) {
        path = json_member_path(path, members_[end.members - 1].key);
      }
    }
    return path;
  }

  const std::string& text_;
  const std::string& file_;
  JsonDocument document_{std::make_unique<std::pmr::monotonic_buffer_resource>(), {}};
  std::vector<JsonValue> elements_;
  std::vector<JsonMember> members_;
  std::vector<Open> open_;
  std::array<std::string_view, 64> keys_;
};

}  // namespace

std::string json_member_path(const std::string& path, std::string_view key) {
  const bool plain = !key.empty() && key.find_first_of(" .[]\"'\t\r\n") == std::string_view::npos;
  if (!plain) return fmt::format("{}[\"{}\"]", path, key);
  return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
}

std::string json_element_path(const std::string& path, std::size_t index) {
  return fmt::format("{}[{}]", path, index);
}

JsonDocument parse_json(const std::string& text, const std::string& file) {
  if (const std::size_t at = text.find('\0'); at != std::string::npos) {
    // The parser would take it for the end.
    throw Error(fmt::format("{}: {}: expected JSON text, found the byte 0x00", file,
                            line_and_column(text, at)));
  }
  Builder builder(text, file);
  nlohmann::json::sax_parse(text, &builder);
  return builder.take();
}

}  // namespace placer

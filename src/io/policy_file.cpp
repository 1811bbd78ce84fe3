#include "placer/io/policy_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>

#include "io/base64.hpp"
#include "io/json/writer.hpp"
#include "io/option_json.hpp"
#include "io/seal.hpp"
#include "placer/io/files.hpp"
#include "placer/io/json_reader.hpp"
#include "placer/search/run.hpp"

namespace placer {
namespace {

// Version 1 knew types of ops by hashes alone.
constexpr std::int64_t kPolicyVersion = 2;

template <class T>
void write_list(JsonWriter& writer, std::string_view key, const std::vector<T>& list,
                void (*write)(JsonWriter&, const T&)) {
  if (list.empty()) return;
  writer.break_line();
  writer.key(key);
  writer.begin_array(JsonWriter::Layout::kLines);
  for (const T& item : list) write(writer, item);
  writer.end_array();
}

void write_matrix(JsonWriter& writer, const NamedMatrix& matrix) {
  writer.begin_object();
  writer.member("name", matrix.name);
  writer.member("rows", matrix.rows);
  writer.member("columns", matrix.columns);
  writer.member("values", base64_of(matrix.values));
  writer.end_object();
}

void write_counters(JsonWriter& writer, const NamedCounters& counters) {
  writer.begin_object();
  writer.member("name", counters.name);
  writer.list("values", counters.values);
  writer.end_object();
}

/// All but the checksum and the closing brace.
JsonWriter body_of(const Policy& policy) {
  JsonWriter writer({.indent = 0});
  writer.begin_object();
  writer.break_line();
  writer.member("format", "placer-policy");
  writer.member("version", kPolicyVersion);
  writer.break_line();
  writer.member("algorithm", policy.algorithm);
  writer.member("devices", policy.devices);
  writer.break_line();
  writer.key("options");
  writer.begin_object();
  for (const auto& [name, value] : policy.options) {
    writer.key(name);
    std::visit([&](const auto& held) { writer.value(held); }, value);
  }
  writer.end_object();
  if (!policy.types.empty()) {
    writer.break_line();
    writer.list("types", policy.types);
  }
  write_list(writer, "weights", policy.weights, write_matrix);
  write_list(writer, "state", policy.state, write_matrix);
  write_list(writer, "counters", policy.counters, write_counters);
  return writer;
}

OptionValues options_from(const JsonCursor& cursor, const Optimizer& optimizer) {
  OptionValues values;
  JsonObject object(cursor);
  for (const OptionInfo& option : optimizer.options) {
    if (const auto value = object.find(option.name)) {
      values[option.name] = option_value(option, *value);
    }
  }
  object.no_other_keys();
  return values;
}

NamedMatrix matrix_from(const JsonCursor& cursor) {
  constexpr std::int64_t kMost = 1 << 30;
  JsonObject object(cursor);
  NamedMatrix matrix;
  matrix.name = object.required("name").name();
  matrix.rows = static_cast<std::size_t>(object.required("rows").integer(0, kMost));
  matrix.columns = static_cast<std::size_t>(object.required("columns").integer(0, kMost));
  const JsonCursor text = object.required("values");
  std::optional<std::vector<double>> values = doubles_of(text.text());
  if (!values) text.fail("base64 of doubles", "something else");
  if (values->size() != matrix.rows * matrix.columns) {
    text.fail(fmt::format("{} x {} numbers", matrix.rows, matrix.columns),
              fmt::format("{}", values->size()));
  }
  if (!std::ranges::all_of(*values, [](double value) { return std::isfinite(value); })) {
    text.fail("finite numbers", "others");
  }
  matrix.values = *std::move(values);
  object.no_other_keys();
  return matrix;
}

/// Exact beyond 2^53, unlike other files' numbers: picoseconds are among them.
NamedCounters counters_from(const JsonCursor& cursor) {
  constexpr std::int64_t kMost = 9'223'372'036'854'774'784;  // 2^63 - 1024, a double too
  JsonObject object(cursor);
  NamedCounters counters;
  counters.name = object.required("name").name();
  object.required("values").for_each_element(
      [&](const JsonCursor& value) { counters.values.push_back(value.integer(-kMost, kMost)); });
  object.no_other_keys();
  return counters;
}

std::vector<std::string> types_from(JsonObject& document) {
  std::vector<std::string> types;
  std::set<std::string> seen;
  const auto cursor = document.find("types");
  if (!cursor) return types;
  cursor->for_each_element([&](const JsonCursor& type) {
    types.emplace_back(type.text());
    if (!seen.insert(types.back()).second)
      type.fail("distinct types", fmt::format("'{}' twice", types.back()));
  });
  return types;
}

template <class T>
std::vector<T> list_from(JsonObject& document, std::string_view key, T (*read)(const JsonCursor&)) {
  std::vector<T> list;
  const auto cursor = document.find(key);
  if (!cursor) return list;
  cursor->for_each_element([&](const JsonCursor& element) { list.push_back(read(element)); });
  return list;
}

}  // namespace

Policy read_policy(const std::string& path) {
  return parse_policy(read_text(path), file_title(path));
}

Policy parse_policy(const std::string& text, const std::string& file) {
  const JsonDocument root = parse_json(text, file);
  const JsonCursor cursor(root, file);
  JsonObject document(cursor);
  check_format(document, "placer-policy", kPolicyVersion);
  Policy policy;
  const JsonCursor algorithm = document.required("algorithm");
  policy.algorithm = algorithm.name();
  const std::vector<std::string> known = transferring_algorithms();
  if (std::ranges::count(known, policy.algorithm) == 0) algorithm.fail(join(known, " or "));
  policy.devices = static_cast<std::size_t>(document.required("devices").integer(1, 1 << 20));
  policy.options = options_from(document.required("options"), find_optimizer(policy.algorithm));
  policy.types = types_from(document);
  policy.weights = list_from(document, "weights", matrix_from);
  policy.state = list_from(document, "state", matrix_from);
  policy.counters = list_from(document, "counters", counters_from);
  check_seal(document, body_of(policy));
  return policy;
}

std::string write_policy(const Policy& policy) { return sealed(body_of(policy)); }

}  // namespace placer

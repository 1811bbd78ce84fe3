#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/json/writer.hpp"
#include "placer/io/json_reader.hpp"
#include "placer/model/graph.hpp"
#include "placer/model/topology.hpp"

namespace placer {

/// Read a value as the rules of its field say. Throw Error with the value's place.
void read_value(const JsonCursor& cursor, const FieldRules& rules, std::string& text);
void read_value(const JsonCursor& cursor, const FieldRules& rules, bool& value);
void read_value(const JsonCursor& cursor, const FieldRules& rules, std::int64_t& value);
void read_value(const JsonCursor& cursor, const FieldRules& rules, double& value);
void read_value(const JsonCursor& cursor, const FieldRules& rules, std::optional<double>& value);
void read_value(const JsonCursor& cursor, const FieldRules& rules, std::vector<std::string>& names);
void read_value(const JsonCursor& cursor, const FieldRules& rules,
                std::vector<std::int64_t>& numbers);
void read_value(const JsonCursor& cursor, const FieldRules& rules,
                std::vector<std::pair<std::string, double>>& numbers);
/// A number, or one for each of some types, which set that of the others.
void read_value(const JsonCursor& cursor, const FieldRules& rules, PeakFlops& peaks);
void read_value(const JsonCursor& cursor, const FieldRules& rules,
                std::vector<OutputShape>& outputs);
void read_value(const JsonCursor& cursor, const FieldRules& rules,
                std::vector<MessageBandwidth>& sizes);

/// Sets the peak of types that `of_dtype`, not empty, does not name: that of float32, or the least.
void set_peak_of_others(PeakFlops& peaks);

/// Reads the members of `object` by the rows of their table, each by read(cursor, rules, member).
template <class Rows, class T, class Read>
void read_fields(JsonObject& object, const Rows& rows, T& value, Read read) {
  for_each_field(rows, [&](const auto& row) {
    if (row.rules.presence == Presence::kRequired) {
      read(object.required(row.name), row.rules, value.*row.member);
    } else if (const auto given = object.find(row.name)) {
      read(*given, row.rules, value.*row.member);
    }
  });
}

/// Reads a whole object, without other keys.
template <class T, class Rows>
void read_object(const JsonCursor& cursor, const Rows& rows, T& value) {
  JsonObject object(cursor);
  read_fields(object, rows, value,
              [](const JsonCursor& field, const FieldRules& rules, auto& member) {
                read_value(field, rules, member);
              });
  object.no_other_keys();
}

/// A whole object, without other keys.
template <class T, class Rows>
T object_from(const JsonCursor& cursor, const Rows& rows) {
  T value;
  read_object(cursor, rows, value);
  return value;
}

/// Write a value.
void write_value(JsonWriter& writer, const std::vector<std::pair<std::string, double>>& numbers);
void write_value(JsonWriter& writer, const PeakFlops& peaks);
void write_value(JsonWriter& writer, const OutputShape& output);
void write_value(JsonWriter& writer, const MessageBandwidth& known);
template <class Value>
void write_value(JsonWriter& writer, const Value& value) {
  writer.value(value);
}
template <class Value>
void write_value(JsonWriter& writer, const std::optional<Value>& value) {
  writer.value(*value);
}
template <class Item>
void write_value(JsonWriter& writer, const std::vector<Item>& items) {
  writer.begin_array();
  for (const Item& item : items) write_value(writer, item);
  writer.end_array();
}

/// An object: each member that files must hold or that is not its default, by write(member).
template <class Rows, class T, class Write>
void write_object(JsonWriter& writer, const Rows& rows, const T& value, Write write) {
  [[maybe_unused]] static const T standard{};
  writer.begin_object();
  for_each_field(rows, [&](const auto& row) {
    if (row.rules.presence == Presence::kOptional && value.*row.member == standard.*row.member) {
      return;
    }
    writer.key(row.name);
    write(value.*row.member);
  });
  writer.end_object();
}
template <class Rows, class T>
void write_object(JsonWriter& writer, const Rows& rows, const T& value) {
  write_object(writer, rows, value, [&](const auto& member) { write_value(writer, member); });
}

}  // namespace placer

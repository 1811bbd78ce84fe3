#include "io/field_json.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace placer {
namespace {

double number_in(const JsonCursor& cursor, const NumberRange& range) {
  const bool is_positive = range.is_above && range.least == 0 && range.is_unlimited();
  return is_positive ? cursor.positive_number() : cursor.number(range.least, range.most);
}

void check_count(std::size_t count, const JsonCursor& list, const FieldRules& rules) {
  if (count == 0 && !rules.items.empty())
    list.fail(fmt::format("at least one {}", rules.items), "none");
}

}  // namespace

void read_value(const JsonCursor& cursor, const FieldRules& rules, std::string& text) {
  text = rules.may_be_empty ? cursor.text() : cursor.name();
}

void read_value(const JsonCursor& cursor, const FieldRules& /*rules*/, bool& value) {
  value = cursor.boolean();
}

void read_value(const JsonCursor& cursor, const FieldRules& rules, std::int64_t& value) {
  const NumberRange& range = rules.range;
  value = cursor.integer(
      static_cast<std::int64_t>(range.least),
      range.is_unlimited() ? kLargestInteger : static_cast<std::int64_t>(range.most));
}

void read_value(const JsonCursor& cursor, const FieldRules& rules, double& value) {
  value = number_in(cursor, rules.range);
}

void read_value(const JsonCursor& cursor, const FieldRules& rules, std::optional<double>& value) {
  value = number_in(cursor, rules.range);
}

void read_value(const JsonCursor& cursor, const FieldRules& rules,
                std::vector<std::string>& names) {
  const std::size_t count =
      cursor.for_each_element([&](const JsonCursor& name) { names.emplace_back(name.name()); });
  check_count(count, cursor, rules);
}

void read_value(const JsonCursor& cursor, const FieldRules& rules,
                std::vector<std::int64_t>& numbers) {
  cursor.for_each_element(
      [&](const JsonCursor& number) { read_value(number, rules, numbers.emplace_back()); });
}

void read_value(const JsonCursor& cursor, const FieldRules& rules,
                std::vector<std::pair<std::string, double>>& numbers) {
  cursor.for_each_member([&](std::string_view key, const JsonCursor& number) {
    numbers.emplace_back(key, number_in(number, rules.range));
  });
}

void read_value(const JsonCursor& cursor, const FieldRules& rules, PeakFlops& peaks) {
  if (!cursor.is_object()) {
    read_value(cursor, rules, peaks.of_others);
    return;
  }
  cursor.for_each_member([&](std::string_view dtype, const JsonCursor& peak) {
    const auto known = peak_dtypes();
    if (std::ranges::find(known, dtype) == known.end()) {
      cursor.fail("peaks of " + join(known), fmt::format("'{}'", one_line(dtype, 60)));
    }
    peaks.of_dtype.emplace_back(dtype, number_in(peak, rules.range));
  });
  if (peaks.of_dtype.empty()) cursor.fail("at least one peak", "none");
  set_peak_of_others(peaks);
}

void read_value(const JsonCursor& cursor, const FieldRules& /*rules*/,
                std::vector<OutputShape>& outputs) {
  cursor.for_each_element([&](const JsonCursor& output) {
    outputs.push_back(object_from<OutputShape>(output, kOutputFields));
  });
}

void read_value(const JsonCursor& cursor, const FieldRules& rules,
                std::vector<MessageBandwidth>& sizes) {
  const std::size_t count = cursor.for_each_element([&](const JsonCursor& known) {
    sizes.push_back(object_from<MessageBandwidth>(known, kMessageBandwidthFields));
  });
  check_count(count, cursor, rules);
}

void set_peak_of_others(PeakFlops& peaks) {
  const auto& of_dtype = peaks.of_dtype;
  using Peak = std::pair<std::string, double>;
  const auto float32 = std::ranges::find(of_dtype, "float32", &Peak::first);
  peaks.of_others = float32 != of_dtype.end()
                        ? float32->second
                        : std::ranges::min_element(of_dtype, {}, &Peak::second)->second;
}

void write_value(JsonWriter& writer, const std::vector<std::pair<std::string, double>>& numbers) {
  writer.begin_object();
  for (const auto& [key, number] : numbers) writer.member(key, number);
  writer.end_object();
}

void write_value(JsonWriter& writer, const PeakFlops& peaks) {
  if (peaks.of_dtype.empty()) {
    write_value(writer, peaks.of_others);
  } else {
    write_value(writer, peaks.of_dtype);
  }
}

void write_value(JsonWriter& writer, const OutputShape& output) {
  write_object(writer, kOutputFields, output);
}

void write_value(JsonWriter& writer, const MessageBandwidth& known) {
  write_object(writer, kMessageBandwidthFields, known);
}

}  // namespace placer

#include "placer/io/measurements_file.hpp"

#include <algorithm>

#include "io/json/writer.hpp"
#include "placer/io/files.hpp"
#include "placer/io/json_reader.hpp"

namespace placer {
namespace {

constexpr std::size_t kDigits = 16;

std::string hash_from(const JsonCursor& cursor) {
  const std::string text(cursor.name());
  const bool is_hash =
      text.size() == kDigits && text.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (!is_hash) cursor.fail("16 hexadecimal digits");
  return text;
}

MeasuredRuns runs_from(JsonObject& row) {
  MeasuredRuns runs;
  row.required("seconds").for_each_element(
      [&](const JsonCursor& seconds) { runs.seconds.push_back(seconds.positive_number()); });
  if (const auto memory = row.find("memory_bytes")) {
    memory->for_each_member([&](std::string_view device, const JsonCursor& bytes) {
      runs.memory_bytes[std::string(device)] = bytes.integer(0);
    });
  }
  if (const auto failure = row.find("failure")) runs.failure = failure->name();
  return runs;
}

}  // namespace

Measurements read_measurements(const std::string& path) {
  return parse_measurements(read_text(path), file_title(path));
}

Measurements parse_measurements(const std::string& text, const std::string& file) {
  const JsonDocument root = parse_json(text, file);
  const JsonCursor cursor(root, file);
  JsonObject document(cursor);
  check_format(document, "placer-measurements");
  Measurements measurements;
  document.required("placements").for_each_element([&](const JsonCursor& element) {
    JsonObject row(element);
    const auto placement = hash_from(row.required("placement"));
    const std::pair key(hash_from(row.required("of")), placement);
    if (measurements.contains(key)) element.fail("each placement once", "it again");
    measurements[key] = runs_from(row);
    row.no_other_keys();
  });
  document.no_other_keys();
  return measurements;
}

std::string write_measurements(const Measurements& measurements) {
  JsonWriter writer;
  writer.begin_object(JsonWriter::Layout::kLines);
  writer.member("format", "placer-measurements");
  writer.member("version", 1);
  writer.key("placements");
  writer.begin_array(JsonWriter::Layout::kLines);
  for (const auto& [key, runs] : measurements) {
    writer.begin_object();
    writer.member("of", key.first);
    writer.member("placement", key.second);
    writer.list("seconds", runs.seconds);
    if (!runs.memory_bytes.empty()) {
      writer.key("memory_bytes");
      writer.begin_object();
      for (const auto& [device, bytes] : runs.memory_bytes) writer.member(device, bytes);
      writer.end_object();
    }
    if (!runs.failure.empty()) writer.member("failure", runs.failure);
    writer.end_object();
  }
  writer.end_array();
  writer.end_object();
  return std::move(writer).take() + "\n";
}

}  // namespace placer

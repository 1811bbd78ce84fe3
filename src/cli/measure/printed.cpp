#include "cli/measure/printed.hpp"

#include <fmt/format.h>

#include "placer/base/quantity.hpp"
#include "placer/base/text.hpp"
#include "placer/io/json_reader.hpp"

namespace placer {
namespace {

constexpr double kMostSeconds = 9e6;  // of a step

PrintedRun from_json(std::string_view text, const Topology& topology) {
  const std::string file = "its output";
  const JsonDocument root = parse_json(std::string(text), file);
  const JsonCursor cursor(root, file);
  JsonObject object(cursor);
  PrintedRun run;
  const auto out_of_memory = object.find("out_of_memory");
  if (const auto memory = object.find("memory_bytes")) {
    memory->for_each_member([&](std::string_view name, const JsonCursor& bytes) {
      if (!topology.find(name)) bytes.fail("the name of a device", fmt::format("'{}'", name));
      run.memory_bytes[std::string(name)] = bytes.integer(0);
    });
  }
  const bool has_failed = out_of_memory && out_of_memory->boolean();
  const auto seconds = has_failed ? object.find("seconds") : object.required("seconds");
  if (!has_failed) {
    run.seconds = seconds->positive_number();
    if (*run.seconds > kMostSeconds) seconds->fail(fmt::format("at most {:.0f}", kMostSeconds));
  }
  object.no_other_keys();
  return run;
}

}  // namespace

PrintedRun parse_printed(const std::string& printed, const Topology& topology) {
  const std::string_view text = trimmed(printed);
  if (text.starts_with('{')) return from_json(text, topology);
  const std::size_t end = text.rfind('\n');
  const std::string_view line =
      trimmed(end == std::string_view::npos ? text : text.substr(end + 1));
  if (line.starts_with('{')) return from_json(line, topology);
  const std::optional<double> seconds = parse_quantity(line, Measure::kSeconds);
  if (!seconds || !(*seconds > 0) || *seconds > kMostSeconds) {
    throw Error(fmt::format("its last line: expected seconds above 0 or a JSON object, found {}",
                            line.empty() ? "nothing" : fmt::format("'{}'", one_line(line, 80))));
  }
  return {seconds, {}};
}

}  // namespace placer

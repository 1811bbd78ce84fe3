#include "placer/io/profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "io/importers/importer.hpp"
#include "io/importers/text_fields.hpp"
#include "placer/base/errors.hpp"
#include "placer/io/files.hpp"
#include "placer/io/json_reader.hpp"

namespace placer {
namespace {

constexpr double kMostSeconds = 1e6;

// CSV.

/// The cells of a line: quotes hold commas, two of them a quote.
std::vector<std::string> cells_of(const ImportSource& source, std::string_view place,
                                  std::string_view line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') {
      const bool is_quote = quoted && i + 1 < line.size() && line[i + 1] == '"';
      if (is_quote) {
        cells.back() += line[++i];
      } else {
        quoted = !quoted;
      }
    } else if (line[i] == ',' && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += line[i];
    }
  }
  if (quoted) source.fail(place, "a quote that ends on its line", "none");
  for (std::string& cell : cells) cell = std::string(trimmed(cell));
  return cells;
}

struct Columns {
  std::size_t count = 0, name = 0, time = 0;
  std::optional<std::size_t> device;
  double unit_seconds = 1;
};

Columns columns_of(const ImportSource& source, const std::string& place,
                   const std::vector<std::string>& header) {
  Columns columns;
  columns.count = header.size();
  std::size_t names = 0, times = 0;
  for (std::size_t i = 0; i < header.size(); ++i) {
    if (header[i] == "name" || header[i] == "op") {
      columns.name = i;
      ++names;
    }
    if (header[i] == "device") columns.device = i;
    for (const auto& [unit, seconds] :
         {std::pair{"seconds", 1.0}, std::pair{"ms", 1e-3}, std::pair{"us", 1e-6}}) {
      if (header[i] != unit) continue;
      columns.time = i;
      columns.unit_seconds = seconds;
      ++times;
    }
  }
  if (names != 1 || times != 1) {
    source.fail(place, "a header with name and one of seconds, ms or us",
                fmt::format("'{}'", one_line(join(header, ","), 60)));
  }
  return columns;
}

Profile read_csv(const ImportSource& source) {
  require_utf8(source);
  Profile profile;
  TextLines lines(source.text());
  std::optional<Columns> columns;
  while (const auto line = lines.next()) {
    if (trimmed(*line).empty()) continue;
    const std::vector<std::string> cells = cells_of(source, lines.place(), *line);
    if (!columns) {
      columns = columns_of(source, lines.place(), cells);
      continue;
    }
    if (cells.size() != columns->count) {
      source.fail(lines.place(), fmt::format("{} cells, as in the header", columns->count),
                  fmt::format("{}", cells.size()));
    }
    const auto time = parsed_number<double>(cells[columns->time]);
    const double seconds = time.value_or(-1) * columns->unit_seconds;
    if (!(seconds >= 0 && seconds <= kMostSeconds)) {
      source.fail(lines.place(), fmt::format("a time from 0 to {} s", kMostSeconds),
                  fmt::format("'{}'", one_line(cells[columns->time], 60)));
    }
    const std::string& name = cells[columns->name];
    if (name.empty()) source.fail(lines.place(), "the name of an op", "none");
    profile.times[name].push_back({columns->device ? cells[*columns->device] : "", seconds});
  }
  if (!columns) source.fail("", "a profile in CSV or JSON", "an empty file");
  return profile;
}

// JSON.

class TraceReader {
 public:
  void read_event(const JsonCursor& cursor) {
    JsonObject event(cursor);
    const std::string phase(event.required("ph").text());
    if (phase == "E") return end(event);
    if (phase != "X" && phase != "B") return;
    std::string name = is_transfer(event) ? "" : op_name(event);
    if (phase == "B") {
      open_[track_of(event)].push_back({std::move(name), time_of(event)});
    } else {
      add(name, event.required("dur").number(0, kMostMicroseconds));
    }
  }

  Profile finish() && {
    profile_.steps = std::max<std::size_t>(1, steps_.size());
    for (auto& [name, times] : profile_.times) {
      double seconds = 0;
      for (const Profile::Time& time : times) seconds += time.seconds;
      times = {{"", seconds / static_cast<double>(profile_.steps)}};
    }
    return std::move(profile_);
  }

 private:
  static constexpr double kMostMicroseconds = kMostSeconds * 1e6;
  struct Begun {
    std::string name;  // empty: a transfer
    double microseconds;
  };

  /// A tensor on its way, which may be named as an op is.
  static bool is_transfer(JsonObject& event) {
    const auto category = event.find("cat");
    return category && category->is_text() && category->text() == "transfer";
  }

  static std::string op_name(JsonObject& event) {
    std::string name(event.required("name").text());
    constexpr std::string_view kKernel = "_kernel_time";
    if (name.ends_with(kKernel)) name.resize(name.size() - kKernel.size());
    if (const auto args = event.find("args"); args && args->is_object()) {
      JsonObject object(*args);
      if (const auto own = object.find("name"); own && own->is_text()) name = own->text();
    }
    return name;
  }

  static std::string track_of(JsonObject& event) {
    std::string track;
    for (const char* key : {"pid", "tid"}) {
      const auto id = event.find(key);
      if (id)
        track += id->is_text() ? std::string(id->text()) : fmt::format("{}", id->number(-1e18));
      track += '\n';
    }
    return track;
  }

  static double time_of(JsonObject& event) {
    return event.required("ts").number(std::numeric_limits<double>::lowest());
  }

  /// An end whose begin was before the recording is passed over.
  void end(JsonObject& event) {
    std::vector<Begun>& begun = open_[track_of(event)];
    if (begun.empty()) return;
    const double microseconds = time_of(event) - begun.back().microseconds;
    if (!(microseconds >= 0 && microseconds <= kMostMicroseconds)) {
      event.cursor().fail(fmt::format("an end from 0 to {} us after its begin", kMostMicroseconds),
                          fmt::format("{} us", microseconds));
    }
    add(begun.back().name, microseconds);
    begun.pop_back();
  }

  void add(const std::string& name, double microseconds) {
    if (name.starts_with("ProfilerStep#")) {
      steps_.insert(name);
    } else if (!name.empty()) {
      profile_.times[name].push_back({"", microseconds * 1e-6});
    }
  }

  Profile profile_;
  std::set<std::string> steps_;
  std::map<std::string, std::vector<Begun>> open_;  // by track, the innermost last
};

Profile read_trace(const JsonCursor& events) {
  TraceReader reader;
  events.for_each_element([&](const JsonCursor& event) { reader.read_event(event); });
  return std::move(reader).finish();
}

Profile read_times(const JsonCursor& root) {
  Profile profile;
  root.for_each_member([&](std::string_view name, const JsonCursor& value) {
    std::vector<Profile::Time>& times = profile.times[std::string(name)];
    if (!value.is_object()) {
      times.push_back({"", value.number(0, kMostSeconds)});
      return;
    }
    value.for_each_member([&](std::string_view device, const JsonCursor& seconds) {
      times.push_back({std::string(device), seconds.number(0, kMostSeconds)});
    });
  });
  return profile;
}

Profile read_json(const std::string& text, const std::string& file) {
  const JsonDocument value = parse_json(text, file);
  const JsonCursor root(value, file);
  if (!root.is_object()) return read_trace(root);
  JsonObject object(root);
  if (object.has("traceEvents")) return read_trace(object.required("traceEvents"));
  return read_times(root);
}

}  // namespace

Profile parse_profile(const std::string& text, const std::string& file) {
  const ImportSource source(text, file);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool is_json = first != std::string::npos && (text[first] == '{' || text[first] == '[');
  Profile profile = is_json ? read_json(text, file) : read_csv(source);
  if (profile.times.empty()) source.fail("", "at least one measured op", "none");
  return profile;
}

Profile read_profile(const std::string& path) {
  return parse_profile(read_text(path), file_title(path));
}

}  // namespace placer

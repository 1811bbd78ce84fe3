#include "placer/io/import.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "io/importer.hpp"
#include "placer/io/files.hpp"

namespace placer {

#define PLACER_IMPORTER(function, name) Importer function##_importer();
#include "io/importers.def"
#undef PLACER_IMPORTER

namespace {

Importer named(std::string name, Importer importer) {
  importer.format.name = std::move(name);
  return importer;
}

const std::vector<Importer>& all_importers() {
  static const std::vector<Importer> importers = {
#define PLACER_IMPORTER(function, name) named(name, function##_importer()),
#include "io/importers.def"
#undef PLACER_IMPORTER
  };
  return importers;
}

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const ImportFormat& format : import_formats()) names.push_back(format.name);
  return names;
}

const Importer& importer_named(const std::string& name) {
  const auto at = std::ranges::find(all_importers(), name,
                                    [](const Importer& each) { return each.format.name; });
  if (at != all_importers().end()) return *at;
  const std::vector<std::string> names = format_names();
  throw Error(fmt::format("format: expected one of {}, found '{}'{}", join(names),
                          one_line(name, 60), did_you_mean(name, names)));
}

std::string found_text(ImportSource& source) {
  if (!source.is_json()) {
    const std::string& text = source.text();
    return text.empty() ? "an empty file"
                        : fmt::format("a file that begins with '{}'", one_line(text, 40));
  }
  std::vector<std::string> keys;
  for (const JsonMember& member : std::get<JsonValue::Object>(source.json().value)) {
    keys.push_back(one_line(member.key, 24));
    if (keys.size() == 8) break;
  }
  return keys.empty() ? "an empty JSON object" : "a JSON object with the keys " + join(keys);
}

const Importer& importer_for(ImportSource& source) {
  for (const Importer& importer : all_importers()) {
    if (importer.recognises(source)) return importer;
  }
  source.fail("", "a file of one of the formats " + join(format_names()), found_text(source));
}

void refuse_unread_options(const ImportSource& source, const ImportFormat& format,
                           const ImportOptions& options) {
  const auto refuse = [&](bool given, const std::string& name) {
    if (!given || std::ranges::find(format.options, name) != format.options.end()) return;
    source.fail("", "a format that reads --" + name, "the format " + format.name);
  };
  refuse(options.processors.has_value(), "processors");
  refuse(options.inference, "inference");
}

}  // namespace

std::string ImportSource::stem() const {
  const std::string name = std::filesystem::path(file_).filename().string();
  const std::string stem = one_line(name.substr(0, name.find('.', 1)), 200);
  return stem.empty() ? "imported" : stem;
}

bool ImportSource::is_json() const {
  const std::size_t at = text_.find_first_not_of(" \t\r\n");
  return at != std::string::npos && text_[at] == '{';
}

JsonValue& ImportSource::json() {
  if (!json_) json_ = parse_json(text_, file_);
  return *json_;
}

bool ImportSource::has_keys(std::initializer_list<std::string_view> keys) {
  if (!is_json()) return false;
  const auto& members = std::get<JsonValue::Object>(json().value);
  return std::ranges::all_of(keys, [&](std::string_view key) {
    return std::ranges::find(members, key, &JsonMember::key) != members.end();
  });
}

void ImportSource::fail(std::string_view place, std::string_view expected,
                        std::string_view found) const {
  throw Error(fmt::format("{}: {}{}expected {}, found {}", file_, place, place.empty() ? "" : ": ",
                          expected, found));
}

Graph imported_graph(const ImportSource& source, std::string name, std::vector<Op> ops,
                     std::vector<Tensor> tensors) {
  try {
    return Graph(std::move(name), std::move(ops), std::move(tensors));
  } catch (const Error& error) {
    throw Error(source.file() + ": " + one_line(error.what(), 700));
  }
}

Topology identical_processors(std::size_t count, double bytes_per_second) {
  std::vector<Device> devices(count);
  for (std::size_t i = 0; i < count; ++i) {
    devices[i].name = fmt::format("p{}", i);
    devices[i].type = "processor";
    devices[i].memory_bytes = kRoomyBytes;
  }
  std::vector<Link> links;
  if (count > 1) links.push_back({"*", "*", bytes_per_second, 0, {}});
  return Topology(std::move(devices), std::move(links), Contention::kNone);
}

const std::vector<ImportFormat>& import_formats() {
  static const std::vector<ImportFormat> formats = [] {
    std::vector<ImportFormat> listed;
    for (const Importer& importer : all_importers()) listed.push_back(importer.format);
    return listed;
  }();
  return formats;
}

Imported import_text(const std::string& text, const std::string& file,
                     const ImportOptions& options) {
  ImportSource source(text, file);
  const Importer& importer =
      options.format.empty() ? importer_for(source) : importer_named(options.format);
  refuse_unread_options(source, importer.format, options);
  Imported imported = importer.read(source, options);
  imported.format = importer.format.name;
  return imported;
}

Imported import_file(const std::string& path, const ImportOptions& options) {
  return import_text(read_text(path), path, options);
}

}  // namespace placer

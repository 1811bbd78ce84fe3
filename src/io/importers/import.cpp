#include "placer/io/import.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "io/importers/importer.hpp"
#include "io/importers/text_fields.hpp"
#include "placer/base/options.hpp"
#include "placer/io/files.hpp"

namespace placer {

#define PLACER_IMPORTER(function, name) Importer function##_importer();
#include "io/importers/importers.def"
#undef PLACER_IMPORTER

namespace {

Importer named(std::string name, Importer importer) {
  importer.format.name = std::move(name);
  return importer;
}

const std::vector<Importer>& all_importers() {
  static const std::vector<Importer> importers = {
#define PLACER_IMPORTER(function, name) named(name, function##_importer()),
#include "io/importers/importers.def"
#undef PLACER_IMPORTER
  };
  return importers;
}

const Importer& importer_named(const std::string& name) {
  const auto at = std::ranges::find(all_importers(), name,
                                    [](const Importer& each) { return each.format.name; });
  if (at != all_importers().end()) return *at;
  const std::vector<std::string> names = import_format_names();
  throw Error(fmt::format("format: expected one of {}, found '{}'{}", join(names),
                          one_line(name, 60), did_you_mean(name, names)));
}

/// The first bytes as printable ASCII.
std::string beginning(std::string_view text) {
  std::string shown;
  for (const char c : text.substr(0, 24)) {
    const auto byte = static_cast<unsigned char>(c);
    const bool printable = byte >= 0x20 && byte < 0x7f;
    shown += printable ? std::string(1, c) : fmt::format("\\x{:02x}", byte);
  }
  return text.size() > 24 ? shown + "..." : shown;
}

std::string found_text(ImportSource& source) {
  if (source.text().empty()) return "an empty file";
  if (!source.is_json()) {
    return fmt::format("a file that begins with '{}'", beginning(source.text()));
  }
  std::vector<std::string> keys;
  for (const JsonMember& member : std::get<JsonValue::Object>(source.json().root.value)) {
    keys.push_back(one_line(member.key, 24));
    if (keys.size() == 8) break;
  }
  return keys.empty() ? "an empty JSON object" : "a JSON object with the keys " + join(keys);
}

/// Null where no importer recognises it.
const Importer* find_importer(ImportSource& source) {
  for (const Importer& importer : all_importers()) {
    if (importer.recognises(source)) return &importer;
  }
  return nullptr;
}

[[noreturn]] void refuse_unknown(ImportSource& source) {
  source.fail("", "a file of one of the formats " + join(import_format_names()),
              found_text(source));
}

const Importer& importer_for(ImportSource& source) {
  const Importer* importer = find_importer(source);
  if (importer == nullptr) refuse_unknown(source);
  return *importer;
}

bool is_given(const ImportOption& option, const ImportOptions& options) {
  struct {
    bool operator()(const std::vector<ShapeOverride>& shapes) const { return !shapes.empty(); }
    bool operator()(std::optional<std::int64_t> number) const { return number.has_value(); }
    bool operator()(bool flag) const { return flag; }
  } given;
  return std::visit([&](auto member) { return given(options.*member); }, option.member);
}

void refuse_unread_options(const ImportSource& source, const ImportFormat& format,
                           const ImportOptions& options) {
  for (const ImportOption& option : kImportOptions) {
    const std::vector<std::string> readers = formats_of(option);
    if (!is_given(option, options) || std::ranges::find(readers, format.name) != readers.end()) {
      continue;
    }
    source.fail("", fmt::format("a format that reads --{}", option.name),
                "the format " + format.name);
  }
}

void make_printable(std::string& text) {
  if (!is_printable(text)) text = printable(text);
}

}  // namespace

Graph imported_graph(const ImportSource& source, std::string name, std::vector<Op> ops,
                     std::vector<Tensor> tensors) {
  // Names of other programs may be anything; ours are what every output can show.
  for (Op& op : ops) {
    for (std::string* own : {&op.name, &op.type, &op.group}) make_printable(*own);
  }
  for (Tensor& tensor : tensors) make_printable(tensor.name);
  try {
    return Graph(printable(name), std::move(ops), std::move(tensors));
  } catch (const Error& error) {
    throw Error(source.file() + ": " + one_line(error.what(), 700));
  }
}

std::optional<std::int64_t> samples_of(const Graph& graph) {
  std::optional<std::int64_t> samples;
  for (const Op& op : graph.ops()) {
    if (op.type != "input" || op.outputs.empty() || op.outputs.front().shape.size() < 2) continue;
    const std::int64_t extent = op.outputs.front().shape.front();
    if (extent < 1 || samples.value_or(extent) != extent) return std::nullopt;
    samples = extent;
  }
  return samples;
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

std::vector<std::string> import_format_names() {
  std::vector<std::string> names;
  for (const ImportFormat& format : import_formats()) names.push_back(format.name);
  return names;
}

std::vector<std::string> formats_of(const ImportOption& option) {
  std::vector<std::string> names;
  for (const std::string_view format : option.formats) {
    if (!format.empty()) names.emplace_back(format);
  }
  return names;
}

ShapeOverride parse_shape(const std::string& text) {
  const std::size_t equals = text.rfind('=');
  const auto refuse = [&] {
    throw Error(fmt::format("--shape: expected NAME=EXTENTS such as images=1x3x224x224, found '{}'",
                            one_line(text, 100)));
  };
  if (equals == std::string::npos || equals == 0) refuse();
  ShapeOverride shape{text.substr(0, equals), {}};
  std::string_view rest = std::string_view(text).substr(equals + 1);
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('x'), rest.size());
    const auto extent = parsed_number<std::int64_t>(rest.substr(0, end));
    if (!extent || *extent < 0 || end + 1 == rest.size()) refuse();
    shape.shape.push_back(*extent);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return shape;
}

std::string to_text(const ShapeOverride& shape) {
  return fmt::format("{}={}", shape.name, fmt::join(shape.shape, "x"));
}

namespace {

std::string read_timed(const std::string& path, const Observer& observer) {
  const auto begin = std::chrono::steady_clock::now();
  std::string text = read_text(path);
  observer.tell(EventLevel::kDebug, "import", [&] {
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    return fmt::format("{}: {} bytes read in {:.3g} s", path, text.size(), seconds.count());
  });
  return text;
}

void tell_imported(const Imported& imported, const std::string& file, const Observer& observer) {
  observer.tell(EventLevel::kInfo, "import", [&] {
    return fmt::format("{}: format {}, {} ops, {} tensors", file, imported.format,
                       imported.graph.ops().size(), imported.graph.tensors().size());
  });
  for (const std::string& note : imported.notes) {
    observer.tell(EventLevel::kInfo, "import",
                  [&] { return fmt::format("{}: note: {}", file, note); });
  }
}

}  // namespace

Imported import_text(const std::string& text, const std::string& file,
                     const ImportOptions& options) {
  ImportSource source(text, file);
  const Importer& importer =
      options.format.empty() ? importer_for(source) : importer_named(options.format);
  refuse_unread_options(source, importer.format, options);
  Imported imported = importer.read(source, options);
  imported.format = importer.format.name;
  tell_imported(imported, file, options.observer);
  return imported;
}

Imported import_file(const std::string& path, const ImportOptions& options) {
  return import_text(read_timed(path, options.observer), file_title(path), options);
}

GraphFile read_any_graph(const std::string& path, const ImportOptions& options) {
  const std::string text = read_timed(path, options.observer), file = file_title(path);
  ImportSource source(text, file);
  const bool is_ours = text.find("\"placer-graph\"") != std::string::npos;
  const Importer* importer = is_ours ? &importer_named("placer") : find_importer(source);
  // JSON of no format is a graph file with a fault that its reader names.
  if (importer == nullptr && source.is_json()) return parse_graph(text, file);
  if (importer == nullptr) refuse_unknown(source);
  refuse_unread_options(source, importer->format, options);
  if (is_ours) return parse_graph(text, file);
  Imported imported = importer->read(source, options);
  imported.format = importer->format.name;
  tell_imported(imported, file, options.observer);
  return {std::move(imported.graph), std::move(imported.devices), importer->format.name};
}

}  // namespace placer

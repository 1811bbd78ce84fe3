#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "placer/io/import.hpp"
#include "placer/io/json_reader.hpp"

namespace placer {

/// A file to import, as text and, on demand, as JSON.
class ImportSource {
 public:
  ImportSource(const std::string& text, const std::string& file) : text_(text), file_(file) {}
  ImportSource(const ImportSource&) = delete;
  ImportSource& operator=(const ImportSource&) = delete;

  const std::string& text() const { return text_; }
  const std::string& file() const { return file_; }
  /// The file's name without folder and endings: what the graph is called.
  std::string stem() const;
  /// The first character that is not white space is an opening brace.
  bool is_json() const;
  /// Throws Error for broken JSON.
  JsonValue& json();
  /// True for a JSON object that has all of these keys. Throws Error for broken JSON.
  bool has_keys(std::initializer_list<std::string_view> keys);
  /// `FILE: PLACE: expected ..., found ...`; an empty place is left out.
  [[noreturn]] void fail(std::string_view place, std::string_view expected,
                         std::string_view found) const;

 private:
  const std::string& text_;
  const std::string& file_;
  std::optional<JsonValue> json_;
};

/// A format: a file in src/io defines it, and a line of importers.def lists it.
struct Importer {
  ImportFormat format;  // its name is that of importers.def
  /// Looks only as closely as needed to tell the formats apart.
  bool (*recognises)(ImportSource& source);
  Imported (*read)(ImportSource& source, const ImportOptions& options);
};

/// How many bytes at the front of `text` are UTF-8 characters other than zero.
std::size_t valid_utf8_length(std::string_view text);

/// A checked graph; the messages of its faults begin with the file.
Graph imported_graph(const ImportSource& source, std::string name, std::vector<Op> ops,
                     std::vector<Tensor> tensors);

/// `count` devices "p0", "p1", ... of type "processor" with links of `bytes_per_second` and room
/// for everything; transfers do not wait for each other.
Topology identical_processors(std::size_t count, double bytes_per_second);

/// Devices that get more than this many are no machine but a slip.
inline constexpr std::int64_t kMostImportedDevices = 1024;
/// Memory where the format has no such limit.
inline constexpr std::int64_t kRoomyBytes = 1'000'000'000'000'000;

}  // namespace placer

#include "cli/shared/outputs.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "placer/io/files.hpp"

namespace placer {
namespace {

namespace fs = std::filesystem;

/// Through links, where there are any; devices and pipes may serve several times.
bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code fault;
  const fs::file_status status = fs::status(a, fault);
  if (fs::exists(status) && !fs::is_regular_file(status)) return false;
  if (fs::equivalent(a, b, fault) && !fault) return true;
  const fs::path first = fs::weakly_canonical(a, fault);
  return !fault && first == fs::weakly_canonical(b, fault) && !fault;
}

void require_writable(const NamedFile& file) {
  try {
    placer::require_writable(*file.path);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", file.name, error.what()));
  }
}

}  // namespace

void check_outputs(const std::vector<NamedFile>& outputs, const std::vector<NamedFile>& inputs) {
  std::vector<NamedFile> taken = inputs;
  for (const NamedFile& output : outputs) {
    if (!output.path) continue;
    for (const NamedFile& other : taken) {
      if (!other.path || !is_same_file(*output.path, *other.path)) continue;
      throw Error(fmt::format("{}: expected another file than {}, found '{}' for both", output.name,
                              other.name, *output.path));
    }
    require_writable(output);
    taken.push_back(output);
  }
}

void write_output(const std::string& path, std::string_view text, const Console& console) {
  write_atomically(path, text);
  console.log.tell(EventLevel::kInfo, "files",
                   [&] { return fmt::format("written: {} ({} bytes)", path, text.size()); });
}

void check_outputs(const OutputFlags& flags, const std::vector<NamedFile>& inputs) {
  check_outputs({{"--output", flags.output}, {"--trace", flags.trace}}, inputs);
}

}  // namespace placer

#include "cli/outputs.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

namespace placer {

namespace fs = std::filesystem;

void check_writable(const std::string& path) {
  std::error_code none;
  if (path.empty()) throw Error("output: expected a file name, found an empty one");
  if (fs::is_directory(path, none)) {
    throw Error(fmt::format("{}: expected a file to write, found a folder", path));
  }
  // A rename would replace the link itself, even /dev/stdout.
  if (fs::is_symlink(path, none)) {
    throw Error(fmt::format("{}: expected a regular file to write, found a symbolic link", path));
  }
  if (fs::exists(path, none) && !fs::is_regular_file(path, none)) {
    throw Error(fmt::format("{}: expected a regular file to write, found a device or pipe", path));
  }
  fs::path folder = fs::path(path).parent_path();
  if (folder.empty()) folder = ".";
  if (!fs::is_directory(folder, none)) {
    throw Error(fmt::format("{}: expected an existing folder, found none named '{}'", path,
                            folder.string()));
  }
  if (access(folder.c_str(), W_OK | X_OK) != 0) {
    throw Error(fmt::format("{}: expected a folder to write in, found '{}' without permission",
                            path, folder.string()));
  }
}

void check_outputs(const OutputFlags& flags, const std::string& graph_file) {
  std::vector<std::pair<std::string, fs::path>> taken = {
      {"GRAPH", fs::weakly_canonical(graph_file)}};
  const auto check = [&](const std::string& flag, const std::optional<std::string>& file) {
    if (!file) return;
    check_writable(*file);
    const fs::path path = fs::weakly_canonical(*file);
    for (const auto& [name, other] : taken) {
      if (other != path) continue;
      throw Error(
          fmt::format("{}: expected another file than {}, found '{}' for both", flag, name, *file));
    }
    taken.emplace_back(flag, path);
  };
  check("--output", flags.output);
  check("--trace", flags.trace);
}

}  // namespace placer

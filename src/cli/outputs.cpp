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

void check_outputs(const OutputFlags& flags) {
  if (flags.output) check_writable(*flags.output);
  if (flags.trace) check_writable(*flags.trace);
  if (flags.output && flags.trace &&
      fs::weakly_canonical(*flags.output) == fs::weakly_canonical(*flags.trace)) {
    throw Error(fmt::format("--output and --trace: expected two files, found '{}' for both",
                            *flags.output));
  }
}

}  // namespace placer

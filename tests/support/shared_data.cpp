#include "support/shared_data.hpp"

#include <algorithm>
#include <filesystem>

#include "support/skipped.hpp"

namespace placer::testing {

std::vector<std::string> shared_files(const std::string& folder, const std::string& ending) {
  namespace fs = std::filesystem;
  const fs::path path = fs::path(PLACER_SOURCE_DIR) / ".." / "shared" / "data" / folder;
  std::vector<std::string> files;
  if (!fs::is_directory(path)) {
    skip("no " + path.string());
    return files;
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(path)) {
    if (entry.path().string().ends_with(ending)) files.push_back(entry.path().string());
  }
  std::ranges::sort(files);
  return files;
}

bool is_readable_format(const std::string& file) {
#ifndef PLACER_PUGIXML
  if (file.ends_with(".xml")) return false;
#endif
#ifndef PLACER_ONNX
  if (file.ends_with(".onnx")) return false;
#endif
  return !file.empty();
}

bool skip_unreadable(const std::string& file) {
  if (is_readable_format(file)) return false;
  skip("this build does not read " + file);
  return true;
}

}  // namespace placer::testing

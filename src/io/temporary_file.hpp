#pragma once

#include <filesystem>
#include <string>

#include "io/descriptor.hpp"

namespace placer {

/// A file beside `target` that becomes it when it is renamed. While the file is open it is locked,
/// by which others see that its process lives.
struct TemporaryFile {
  std::string path;
  Descriptor descriptor;
  int fault = 0;  // the errno where the file could not be made
};

TemporaryFile create_beside(const std::filesystem::path& target);

/// Removes the temporary files that dead processes have left beside `target` for it. Those of
/// living ones stay, and so does all that cannot be told to be dead.
void remove_strays_of(const std::filesystem::path& target);
/// The same beside whatever targets in that folder.
void remove_strays_in(const std::filesystem::path& folder);

}  // namespace placer

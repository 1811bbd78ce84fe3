#pragma once

#include <string>
#include <vector>

namespace placer::testing {

/// The files of ../shared/data/FOLDER whose names end so, sorted; none (after a warning) where the
/// folder is absent.
std::vector<std::string> shared_files(const std::string& folder, const std::string& ending);

}  // namespace placer::testing

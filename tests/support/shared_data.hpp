#pragma once

#include <string>
#include <vector>

namespace placer::testing {

/// The files of ../shared/data/FOLDER whose names end so, sorted; none where the folder is absent,
/// and the test counts as skipped.
std::vector<std::string> shared_files(const std::string& folder, const std::string& ending);

/// True where the program reads this file: XML only when built with pugixml,
/// ONNX only with protobuf.
bool is_readable_format(const std::string& file);
/// True where it does not, and the test counts as skipped.
bool skip_unreadable(const std::string& file);

}  // namespace placer::testing

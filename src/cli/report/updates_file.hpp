#pragma once

#include <string>
#include <vector>

#include "cli/report/result_report.hpp"

namespace placer {

/// What a learner's updates were like, as a table with a line for each update where `path` ends in
/// .csv, else as a picture with a chart for each figure against evaluations.
std::string updates_text(const std::string& path, const Report& report);
std::string updates_svg(const Report& report);

}  // namespace placer

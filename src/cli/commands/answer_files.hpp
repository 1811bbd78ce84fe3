#pragma once

#include <string>
#include <vector>

#include "cli/commands/optimize_flags.hpp"
#include "cli/report/result_report.hpp"

namespace placer {

/// Writes --policy-out, --plan-out, --curve and --updates; the names of those that could be
/// written.
std::vector<std::string> write_answer_files(const OptimizeFlags& flags, const Report& report,
                                            Console& console);

}  // namespace placer

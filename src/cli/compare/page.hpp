#pragma once

#include <string>

#include "cli/compare/runs.hpp"

namespace placer {

/// A page for browsers in one file that loads nothing else: for each graph the verdicts, the
/// learning curves with lower bound and best single device, and tables of the algorithms and of all
/// runs; and `command`, which makes it again. Its numbers are those of compare_json, which an
/// element of id "data" holds.
std::string compare_page(const Comparison& comparison, const std::string& command);

}  // namespace placer

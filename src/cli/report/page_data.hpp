#pragma once

#include <string>

#include "cli/report/explanation.hpp"
#include "cli/report/result_report.hpp"

namespace placer {

/// What the page shows, as JSON without "<", so that it can stand inside of a script element.
/// Columns are lists of equal length: a row for each op, in the graph's order, and for each
/// transfer, in the schedule's.
std::string page_data(const Report& report, const SearchFlags& search,
                      const Explanation& explanation);

}  // namespace placer

#pragma once

#include <string>

#include "cli/report/result_report.hpp"

namespace placer {

/// The answer in three sentences: the step time and whether it fits, what one device alone would
/// take, and how far it may be from the best.
std::vector<std::string> answer_sentences(const Report& report);

/// A page for browsers in one file that loads nothing else: the answer, the step of each device and
/// channel, memory over time, tables, the curve of the search and the request. Its numbers are
/// those of json_report and explanation_json, as JSON in an element of id "data". `command` is the
/// line that makes it again.
std::string html_report(const Report& report, const SearchFlags& search,
                        const std::string& command);

}  // namespace placer

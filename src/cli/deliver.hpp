#pragma once

#include <optional>

#include "cli/outputs.hpp"
#include "cli/result_report.hpp"

namespace placer {

/// A report on `result`'s placement with its schedule, bounds and the single-device row;
/// `sequences` are those of order `given`, and null means by upward rank.
Report make_report(const LoadedProblem& loaded, Order order, SearchResult result,
                   const Sequences* sequences);

/// Writes the files that `flags` ask for and prints the summary or the JSON object.
void deliver(const Report& report, const SearchFlags& search, const OutputFlags& flags,
             const std::optional<Sequences>& sequences, Console& console);

/// The exit code of a result: 130, then 2, then 3, else 0.
int exit_code_of(const Report& report, bool interrupted);

}  // namespace placer

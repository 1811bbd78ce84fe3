#pragma once

#include <string>

#include "cli/shared/request.hpp"
#include "placer/search/bounds.hpp"

namespace placer {

struct Report;

/// A line that says for which machine the results are, where nobody named one; else nothing.
std::string machine_text(const LoadedProblem& loaded, const Look& look);

/// Why no placement fits, with the figures: the parameters against all memories together where
/// these say so, else what the bounds found.
std::string why_nothing_fits(const Problem& problem, const LowerBounds& bounds);
/// Logs a warning that says so, before a search rather than after it, where the bounds say that
/// nothing fits.
void warn_if_nothing_fits(const LoadedProblem& loaded, const LowerBounds& bounds,
                          const Console& console);

/// A sentence on a result that does not fit, though the bounds do not say that nothing does.
std::string what_may_help(const Report& report);

}  // namespace placer

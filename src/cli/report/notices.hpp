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

/// The same of a result; also where the search has ruled out every placement. "" where it is not
/// known that nothing fits.
std::string why_nothing_fits(const Report& report);
/// "3 B over the memory" or "not contiguous, 2 ops astray", of a score that does not fit.
std::string unfit_text(const Score& score);
/// Logs a warning on a result that does not fit, unless a search began with one that nothing does.
void warn_if_unfit(const Report& report, const Console& console);

/// A sentence on a result that does not fit, though the bounds do not say that nothing does.
std::string what_may_help(const Report& report);

}  // namespace placer

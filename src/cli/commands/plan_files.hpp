#pragma once

#include <string>
#include <vector>

#include "cli/report/result_report.hpp"
#include "cli/shared/outputs.hpp"
#include "placer/io/plan.hpp"

namespace placer {

/// The plan in the file `path`, and what the framework of --for does by itself, each scored. Throws
/// Error.
std::vector<OtherPlacement> other_placements(const LoadedProblem& loaded, Order order,
                                             const std::optional<std::string>& path);

/// Writes the plan of a placement for --for's framework; where the placement does not fit or breaks
/// its rules, a warning says so and nothing is written. False then.
bool write_plan_file(const LoadedProblem& loaded, const Placement& placement, bool fits,
                     const std::string& path, Console& console);

/// The file to check before a long search: `path`, or, for a target whose plans are several files,
/// one in the folder `path`, which is made. Throws Error for what is no such folder.
NamedFile plan_output(const std::string& flag, const std::optional<std::string>& path,
                      const std::optional<std::string>& target);

/// Throws Error where --plan or --plan-out is given without --for.
void check_plan_flags(const ProblemFlags& problem, const std::optional<std::string>& plan,
                      const std::optional<std::string>& plan_out);

}  // namespace placer

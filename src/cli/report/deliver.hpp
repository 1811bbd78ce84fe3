#pragma once

#include <string>
#include <vector>

#include "cli/report/result_report.hpp"
#include "cli/shared/outputs.hpp"

namespace placer {

/// A placement and what ran when and where.
struct Scheduled {
  Placement placement;
  Schedule schedule;
};

/// What a report says of the problem itself.
struct Yardsticks {
  LowerBounds bounds;
  std::optional<SingleDevice> single = std::nullopt;
  std::optional<Scheduled> at_hand =
      std::nullopt;  // not simulated again where it becomes the answer
};

/// A report on `result`'s placement with its schedule, by a simulator of `loaded`'s problem. Throws
/// WrongAnswer where the score that the result claims does not hold.
Report make_report(const LoadedProblem& loaded, Simulator& simulator, SearchResult result,
                   Yardsticks yardsticks);

/// The placement file of a report: what was found, its score and the request.
std::string placement_text(const Report& report, const SearchFlags& search);

/// Writes the files that `flags` ask for and prints the summary, with those `written` before, or
/// the JSON object.
void deliver(const Report& report, const SearchFlags& search, const OutputFlags& flags,
             Console& console, std::vector<std::string> written = {});

/// The exit code of a result: 130, then 2, then 3, else 0.
int exit_code_of(const Report& report, bool interrupted);

}  // namespace placer

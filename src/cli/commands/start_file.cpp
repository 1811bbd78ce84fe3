#include "cli/commands/start_file.hpp"

#include <utility>

#include "cli/shared/config.hpp"
#include "placer/io/files.hpp"
#include "placer/io/placement_file.hpp"

namespace placer {

std::optional<StartFile> read_start_file(const std::optional<std::string>& path) {
  if (!path) return std::nullopt;
  return StartFile{file_title(*path), read_text(*path)};
}

LoadedProblem load_problem_of(const Arguments& arguments, const std::optional<StartFile>& start,
                              const Observer& observer) {
  ProblemFlags flags = problem_flags(arguments);
  if (start) {
    const SavedRequest saved = parse_saved_request(start->text, start->title);
    flags = with_saved_problem(std::move(flags), saved, start->title);
  }
  return load_problem(arguments.positionals.at(0), flags, observer);
}

void set_start(const StartFile& file, const Problem& problem, SearchRequest& request) {
  PlacementFile start = parse_placement(file.text, file.title, problem);
  request.start = std::move(start.placement);
  if (start.sequences && request.order == Order::kGiven) {
    request.start_order = op_order_of(problem, *start.sequences);
  }
}

}  // namespace placer

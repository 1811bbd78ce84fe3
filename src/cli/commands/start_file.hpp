#pragma once

#include <optional>
#include <string>

#include "cli/shared/request.hpp"

namespace placer {

/// The text of --start, which is read once: its request and its placement are wanted one after the
/// other.
struct StartFile {
  std::string title, text;
};

/// Empty without a path. Throws Error that names the file.
std::optional<StartFile> read_start_file(const std::optional<std::string>& path);

/// On the devices of the command line, else those of the start.
LoadedProblem load_problem_of(const Arguments& arguments, const std::optional<StartFile>& start,
                              const Observer& observer);

/// Sets the request's start, with its order of ops under order `given`.
void set_start(const StartFile& file, const Problem& problem, SearchRequest& request);

}  // namespace placer

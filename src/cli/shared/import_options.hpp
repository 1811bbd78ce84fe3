#pragma once

#include <vector>

#include "cli/shared/command.hpp"
#include "placer/io/import.hpp"

namespace placer {

/// Adds a flag for each option of importers.
void add_flags(std::vector<FlagInfo>& flags, const decltype(kImportOptions)& options);

/// What of `kImportOptions` was given. Throws Error for a shape that is none.
ImportOptions read_import_options(const Arguments& arguments);

}  // namespace placer

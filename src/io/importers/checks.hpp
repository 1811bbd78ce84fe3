#pragma once

#include <string_view>
#include <vector>

#include "io/importers/importer.hpp"

namespace placer {

/// Throws Error unless the array has `size` elements, one for each `of_what`.
void require_size(const JsonCursor& array, std::size_t size, std::string_view of_what);

/// Throws Error for an op with the name of an earlier one; `place` says where op {} stands:
/// "tasks[{}]".
void require_unique_names(const ImportSource& source, const std::vector<Op>& ops,
                          std::string_view place);

/// Sets the sequences from the devices of `imported` and the start time of each op; of ops that
/// start at once, those of no time come first.
void set_sequences(Imported& imported, const std::vector<double>& start);

}  // namespace placer

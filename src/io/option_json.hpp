#pragma once

#include "placer/base/options.hpp"
#include "placer/io/json_reader.hpp"

namespace placer {

/// An option's or a flag's value out of a file; a text without choices may be anything. Throws
/// Error.
OptionValue option_value(const OptionInfo& option, const JsonCursor& cursor);

}  // namespace placer

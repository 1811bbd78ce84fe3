#pragma once

#include <string>
#include <string_view>

namespace placer {

/// `text` as XML and HTML show it letter by letter, in elements and in attributes between double
/// quotes; bytes that are not printable stand as \x1b.
std::string markup_text(std::string_view text);

}  // namespace placer

#pragma once

#include <string>

#include "placer/search/policy.hpp"

namespace placer {

/// Reads a `placer-policy` file: JSON; the values of a matrix are the base64 of little-endian
/// doubles, row after row; `checksum` is the FNV-1a hash of what `write_policy` writes before it.
/// Throws Error, "FILE: JSON path: expected ..., found ...", for anything that is not as written.
Policy read_policy(const std::string& path);
/// The same from text; `file` is what errors call it.
Policy parse_policy(const std::string& text, const std::string& file);
/// The same policy gives the same bytes.
std::string write_policy(const Policy& policy);

}  // namespace placer

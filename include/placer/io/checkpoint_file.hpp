#pragma once

#include <span>
#include <string>

#include "placer/search/checkpoint.hpp"

namespace placer {

/// Reads a `placer-checkpoint` file: JSON; `scores` is the base64 of little-endian 64-bit integers,
/// the overflow in bytes, the step in picoseconds and the ops astray of each evaluation; `checksum`
/// is the FNV-1a hash of what `write_checkpoint` writes before it. Throws Error, "FILE: JSON path:
/// expected ..., found ...", for anything that is not as written, and for another version's file.
SearchCheckpoint read_checkpoint(const std::string& path);
/// The same from text; `file` is what errors call it.
SearchCheckpoint parse_checkpoint(const std::string& text, const std::string& file);
/// `request` and `scores` are those of SearchCheckpoint.
std::string write_checkpoint(const RequestFacts& request, std::span<const Score> scores);

}  // namespace placer

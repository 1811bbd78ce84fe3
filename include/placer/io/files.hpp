#pragma once

#include <string>
#include <string_view>

namespace placer {

/// The whole contents of a file. Throws Error that names the file.
std::string read_text(const std::string& path);
/// Throws Error that names the file when `write_atomically` could not write to it: for before a
/// long search, not after it.
void require_writable(const std::string& path);
/// Writes a temporary file beside `path` and renames it: a crash never leaves half a file, and an
/// old one survives. Pipes and devices are written in place, links are followed. Throws Error that
/// names the file.
void write_atomically(const std::string& path, std::string_view text);

}  // namespace placer

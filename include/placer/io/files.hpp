#pragma once

#include <string>
#include <string_view>

namespace placer {

/// What stands for standard input where a file is read, and for standard output where one is
/// written.
inline constexpr std::string_view kStandardStream = "-";
/// Whether reading `path` takes from standard input: "-", or "/dev/stdin".
bool is_standard_input(const std::string& path);
/// Whether writing to `path` goes to standard output: "-", or "/dev/stdout".
bool is_standard_output(const std::string& path);
/// What messages call the file: `path`, or "standard input".
std::string file_title(const std::string& path);

/// The whole text of a file or pipe, or of standard input for "-", which is there to be read once.
/// Throws Error that names the file.
std::string read_text(const std::string& path);
/// Where `write_atomically` puts the text of `path`: the absolute path at the end of all links, of
/// those that point nowhere as well.
std::string written_path(const std::string& path);
/// Throws Error that names the file when `write_atomically` could not write to it: for before a
/// long search, not after it. Temporary files that dead processes have left for it are removed.
void require_writable(const std::string& path);
/// Makes the folder, and those that it is in, unless it is there: for files to be written, so that
/// temporary ones that dead processes have left in it are removed. Throws Error that names it.
void make_folder(const std::string& path);
/// The way from a folder to the one that `file` is in: "", or it ends with a slash.
std::string way_to_folder_of(const std::string& file, const std::string& from_folder);
/// Whether `write_atomically` replaces what is at `path`, so that it may do so again and again:
/// pipes and devices get every text one after the other.
bool is_replaced(const std::string& path);
/// Writes a temporary file beside `path` and renames it: a crash never leaves half a file, and an
/// old one survives. Pipes and devices are written in place, links are followed, to a file that is
/// not there yet as well. Throws Error that names the file.
void write_atomically(const std::string& path, std::string_view text);

}  // namespace placer

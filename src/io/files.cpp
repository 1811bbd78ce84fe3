#include "placer/io/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>

#include "io/descriptor.hpp"
#include "io/temporary_file.hpp"
#include "placer/base/errors.hpp"

namespace placer {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostBytes = std::size_t{2} << 30;

Error file_error(const std::string& path, std::string_view expected, int fault) {
  return Error(fmt::format("{}: expected {}, found: {}", path, expected, std::strerror(fault)));
}

/// Pipes and devices cannot be replaced, only written to.
void write_in_place(const std::string& path, std::string_view text) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  const int fault = file.is_open() ? write_all(file.number(), text) : errno;
  if (fault != 0) throw file_error(path, "a file that can be written", fault);
}

/// What a symbolic link that points nowhere points to, through further links.
fs::path end_of_links(const fs::path& path) {
  constexpr int kMostLinks = 40;
  fs::path at = path;
  std::error_code fault;
  for (int i = 0; i < kMostLinks && fs::is_symlink(fs::symlink_status(at, fault)); ++i) {
    at = at.parent_path() / fs::read_symlink(at, fault);
  }
  return at;
}

/// Where the text of `path` goes, through links; empty for what is written in place.
std::optional<fs::path> replaceable_target(const std::string& path) {
  if (path.empty()) throw Error("'': expected a file name, found an empty one");
  std::error_code fault;
  const fs::file_status status = fs::status(path, fault);
  if (fs::is_directory(status)) throw Error(path + ": expected a file, found a directory");
  if (fs::exists(status) && !fs::is_regular_file(status)) return std::nullopt;
  if (fault == std::errc::too_many_symbolic_link_levels) {
    throw file_error(path, "a file that can be written", ELOOP);
  }
  const fs::path resolved = fs::exists(status) ? fs::canonical(path, fault) : end_of_links(path);
  return resolved.empty() ? fs::path(path) : resolved;
}

Error no_folder(const std::string& path, const fs::path& target, int fault) {
  std::error_code ignored;
  if (!fs::is_symlink(path, ignored))
    return file_error(path, "a folder where a file can be written", fault);
  return file_error(fmt::format("{} (a link to {})", path, target.string()),
                    "a folder where a file can be written", fault);
}

int write_and_rename(const TemporaryFile& temporary, const fs::path& target,
                     std::string_view text) {
  const Descriptor& file = temporary.descriptor;
  struct stat old = {};
  if (::stat(target.c_str(), &old) == 0) {
    // The old file's permissions are worth keeping, but the text is worth more.
    [[maybe_unused]] const int ignored = ::fchmod(file.number(), old.st_mode & 07777);
  }
  if (const int fault = write_all(file.number(), text); fault != 0) return fault;
  if (::fsync(file.number()) != 0) return errno;
  return ::rename(temporary.path.c_str(), target.c_str()) == 0 ? 0 : errno;
}

}  // namespace

bool is_standard_input(const std::string& path) {
  return path == kStandardStream || path == "/dev/stdin" || path == "/dev/fd/0";
}

bool is_standard_output(const std::string& path) {
  return path == kStandardStream || path == "/dev/stdout" || path == "/dev/fd/1";
}

std::string written_path(const std::string& path) {
  std::error_code fault;
  const fs::path real = fs::weakly_canonical(end_of_links(path), fault);
  return fault ? path : real.string();
}

std::string file_title(const std::string& path) {
  return path == kStandardStream ? "standard input" : path;
}

std::string read_text(const std::string& file_or_stream) {
  const bool is_stream = file_or_stream == kStandardStream;
  const std::string path = file_title(file_or_stream);
  const Descriptor file(is_stream ? ::dup(STDIN_FILENO)
                                  : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) throw file_error(path, "a file that can be read", errno);
  struct stat about = {};
  if (::fstat(file.number(), &about) == 0 && S_ISDIR(about.st_mode)) {
    throw Error(path + ": expected a file, found a directory");
  }
  std::string text;
  std::size_t size = 0;
  const auto known = static_cast<std::size_t>(about.st_size > 0 ? about.st_size : 0);
  if (known > kMostBytes) {
    throw Error(fmt::format("{}: expected at most 2 GiB, found {} bytes", path, known));
  }
  text.resize(std::min(known + 1, kMostBytes + 1));
  while (true) {
    const ssize_t got = ::read(file.number(), text.data() + size, text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw file_error(path, "a file that can be read", errno);
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
    if (size > kMostBytes) throw Error(path + ": expected at most 2 GiB, found more");
    if (size == text.size()) text.resize(std::min(2 * size, kMostBytes + 1));
  }
  text.resize(size);
  return text;
}

void require_writable(const std::string& path) {
  const std::optional<fs::path> target = replaceable_target(path);
  if (!target) {
    if (::access(path.c_str(), W_OK) == 0) return;
    throw file_error(path, "a file that can be written", errno);
  }
  remove_strays_of(*target);
  const TemporaryFile temporary = create_beside(*target);
  if (temporary.fault != 0) throw no_folder(path, *target, temporary.fault);
  ::unlink(temporary.path.c_str());
}

void make_folder(const std::string& path) {
  std::error_code fault;
  if (!fs::is_directory(path, fault)) fs::create_directories(path, fault);
  if (fault) throw file_error(path, "a folder that can be made", fault.value());
  remove_strays_in(path);
}

std::string way_to_folder_of(const std::string& file, const std::string& from_folder) {
  const fs::path folder = fs::absolute(file).parent_path();
  const std::string way = fs::proximate(folder, from_folder).generic_string();
  return way == "." ? "" : way + "/";
}

bool is_replaced(const std::string& path) { return replaceable_target(path).has_value(); }

void write_atomically(const std::string& path, std::string_view text) {
  const std::optional<fs::path> found = replaceable_target(path);
  if (!found) return write_in_place(path, text);
  const fs::path& target = *found;
  const TemporaryFile temporary = create_beside(target);
  if (temporary.fault != 0) throw no_folder(path, target, temporary.fault);
  if (const int wrong = write_and_rename(temporary, target, text); wrong != 0) {
    ::unlink(temporary.path.c_str());
    throw file_error(path, "a file that can be written", wrong);
  }
}

}  // namespace placer

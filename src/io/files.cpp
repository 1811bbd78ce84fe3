#include "placer/io/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "placer/base/errors.hpp"

namespace placer {
namespace {

[[noreturn]] void fail(const std::string& path, std::string_view expected) {
  throw Error(fmt::format("{}: expected {}, found: {}", path, expected, std::strerror(errno)));
}

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

/// The mode that a new file would get.
mode_t new_file_mode() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

}  // namespace

std::string read_text(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) fail(path, "a file that can be read");
  std::string text;
  struct stat info = {};
  if (::fstat(::fileno(file), &info) == 0 && info.st_size > 0) {
    text.reserve(static_cast<std::size_t>(info.st_size));
  }
  char buffer[1 << 16];
  while (const std::size_t read = std::fread(buffer, 1, sizeof buffer, file)) {
    text.append(buffer, read);
  }
  const bool failed = std::ferror(file) != 0;
  const int error = errno;
  std::fclose(file);
  errno = error;
  if (failed) fail(path, "a file that can be read");
  return text;
}

void write_atomically(const std::string& path, std::string_view text) {
  std::string temporary = path + ".XXXXXX.tmp";
  const int file = ::mkstemps(temporary.data(), 4);
  if (file < 0) fail(path, "a place where a file can be written");
  const bool written =
      write_all(file, text) && ::fchmod(file, new_file_mode()) == 0 && ::fsync(file) == 0;
  const bool closed = ::close(file) == 0;
  if (written && closed && ::rename(temporary.c_str(), path.c_str()) == 0) return;
  const int error = errno;
  ::unlink(temporary.c_str());
  errno = error;
  fail(path, "a place where a file can be written");
}

}  // namespace placer

#include "io/temporary_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

namespace placer {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostOfName = 200;  // bytes of 255, so that a long name has a temporary, too
constexpr std::string_view kMark = ".placer-", kSuffix = ".tmp";

/// ".p.json.placer-"; process and number follow.
std::string prefix_of(const fs::path& target) {
  return fmt::format(".{}{}", target.filename().string().substr(0, kMostOfName), kMark);
}

/// "4711-0"
bool is_process_and_number(std::string_view text) {
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos || dash == 0 || dash + 1 == text.size()) return false;
  const auto is_digit = [](char letter) { return letter >= '0' && letter <= '9'; };
  return std::ranges::all_of(text.substr(0, dash), is_digit) &&
         std::ranges::all_of(text.substr(dash + 1), is_digit);
}

bool is_temporary_of(std::string_view name, std::string_view prefix) {
  if (name.size() < prefix.size() + kSuffix.size()) return false;
  if (!name.starts_with(prefix) || !name.ends_with(kSuffix)) return false;
  name.remove_prefix(prefix.size());
  name.remove_suffix(kSuffix.size());
  return is_process_and_number(name);
}

/// Where a file system has no locks, a file counts as owned by whoever made it.
bool is_locked_here(const Descriptor& file) {
  if (::flock(file.number(), LOCK_EX | LOCK_NB) != 0) return errno != EWOULDBLOCK;
  struct stat about = {};
  return ::fstat(file.number(), &about) == 0 && about.st_nlink > 0;
}

void remove_if_dead(const fs::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file.is_open() || ::flock(file.number(), LOCK_EX | LOCK_NB) != 0) return;
  struct stat open = {}, named = {};
  if (::fstat(file.number(), &open) != 0 || ::lstat(path.c_str(), &named) != 0) return;
  const bool is_same = open.st_dev == named.st_dev && open.st_ino == named.st_ino;
  if (is_same && S_ISREG(open.st_mode)) ::unlink(path.c_str());
}

template <class IsTemporary>
void remove_dead(const fs::path& folder, IsTemporary is_temporary) {
  std::error_code fault;
  fs::directory_iterator entry(folder, fault);
  while (!fault && entry != fs::directory_iterator()) {
    if (is_temporary(entry->path().filename().string())) remove_if_dead(entry->path());
    entry.increment(fault);
  }
}

}  // namespace

TemporaryFile create_beside(const fs::path& target) {
  constexpr int kAttempts = 100;
  int fault = EEXIST;
  for (int i = 0; i < kAttempts; ++i) {
    const std::string name = fmt::format("{}{}-{}{}", prefix_of(target), ::getpid(), i, kSuffix);
    const std::string path = (target.parent_path() / name).string();
    Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    // Between open and lock another process may have taken it for a dead one's.
    if (file.is_open() && is_locked_here(file)) return {path, std::move(file)};
    fault = file.is_open() ? EEXIST : errno;
    if (fault != EEXIST) break;
  }
  return {"", Descriptor(-1), fault};
}

void remove_strays_of(const fs::path& target) {
  const std::string prefix = prefix_of(target);
  remove_dead(target.has_parent_path() ? target.parent_path() : fs::path("."),
              [&](const std::string& name) { return is_temporary_of(name, prefix); });
}

void remove_strays_in(const fs::path& folder) {
  remove_dead(folder, [](const std::string& name) {
    const std::size_t mark = name.rfind(kMark);
    return name.starts_with('.') && mark != std::string::npos &&
           is_temporary_of(name, name.substr(0, mark + kMark.size()));
  });
}

}  // namespace placer

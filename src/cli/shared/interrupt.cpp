#include "cli/shared/interrupt.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <cstddef>

namespace placer {
namespace {

// A signal handler can reach nothing but globals.
std::atomic<bool> waits = false, interrupted = false, ends = false;
static_assert(std::atomic<bool>::is_always_lock_free);

constexpr pid_t kNone = 0, kStarting = -1;
std::atomic<pid_t> child_group = kNone;
static_assert(std::atomic<pid_t>::is_always_lock_free);

std::array<char, PATH_MAX> folder = {};
std::atomic<bool> has_folder = false;

/// By nothing but what a signal handler may call.
void remove_folder() {
  const int descriptor = has_folder ? open(folder.data(), O_RDONLY | O_DIRECTORY) : -1;
  if (descriptor < 0) return;
  alignas(dirent64) std::array<char, 4096> entries;
  for (ssize_t size = 0; (size = getdents64(descriptor, entries.data(), entries.size())) > 0;) {
    for (ssize_t at = 0; at < size;) {
      const auto* entry = reinterpret_cast<const dirent64*>(&entries[static_cast<std::size_t>(at)]);
      unlinkat(descriptor, entry->d_name, 0);
      at += entry->d_reclen;
    }
  }
  rmdir(folder.data());
}

void set_group(pid_t group) {
  child_group = group;
  if (!ends || group == kStarting) return;
  if (group > 0) kill(-group, SIGKILL);
  remove_folder();
  _exit(kInterrupted);
}

/// By nothing but what a signal handler may call.
template <std::size_t kSize>
void say(const char (&line)[kSize]) {
  if (write(STDERR_FILENO, line, kSize - 1) < 0) return;  // who does not listen need not be told
}

void on_signal(int) {
  if (waits && !interrupted.exchange(true)) return;
  if (!ends.exchange(true)) {
    if (interrupted) {
      say("placer: interrupted again: what is not written by now is lost\n");
    } else {
      say("placer: interrupted before there was anything to write\n");
    }
  }
  set_group(child_group);
}

}  // namespace

Interrupts::Interrupts() {
  waits = interrupted = ends = false;
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], &action, &before_[i]);
    const bool stays = kSignals[i] == SIGHUP && before_[i].sa_handler == SIG_IGN;
    if (stays) sigaction(kSignals[i], &before_[i], nullptr);
  }
}

Interrupts::~Interrupts() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    struct sigaction now = {};
    sigaction(kSignals[i], nullptr, &now);
    if (now.sa_handler == on_signal) sigaction(kSignals[i], &before_[i], nullptr);
  }
}

void Interrupts::ignore() {
  for (const int number : kSignals) std::signal(number, SIG_IGN);
}

EndsWithProgram::EndsWithProgram() { set_group(kStarting); }

EndsWithProgram::~EndsWithProgram() { set_group(kNone); }

void EndsWithProgram::group(pid_t group) { set_group(group); }

FolderEndsWithProgram::FolderEndsWithProgram(const std::string& path) {
  if (path.size() >= folder.size()) return;
  folder[path.copy(folder.data(), path.size())] = '\0';
  has_folder = true;
}

FolderEndsWithProgram::~FolderEndsWithProgram() { has_folder = false; }

const std::atomic<bool>* Interrupts::flag() const { return &interrupted; }

void Interrupts::wait() const { waits = true; }

}  // namespace placer

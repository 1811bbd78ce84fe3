#include "cli/shared/interrupt.hpp"

#include <unistd.h>

namespace placer {
namespace {

// A signal handler can reach nothing but globals.
std::atomic<bool> waits = false, interrupted = false, ends = false;
static_assert(std::atomic<bool>::is_always_lock_free);

constexpr pid_t kNone = 0, kStarting = -1;
std::atomic<pid_t> child_group = kNone;
static_assert(std::atomic<pid_t>::is_always_lock_free);

void set_group(pid_t group) {
  child_group = group;
  if (!ends || group == kStarting) return;
  if (group > 0) kill(-group, SIGKILL);
  _exit(kInterrupted);
}

void on_signal(int) {
  if (waits && !interrupted.exchange(true)) return;
  ends = true;
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
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
}

EndsWithProgram::EndsWithProgram() { set_group(kStarting); }

EndsWithProgram::~EndsWithProgram() { set_group(kNone); }

void EndsWithProgram::group(pid_t group) { set_group(group); }

const std::atomic<bool>* Interrupts::flag() const { return &interrupted; }

void Interrupts::wait() const { waits = true; }

}  // namespace placer

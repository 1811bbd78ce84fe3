#include "cli/shared/interrupt.hpp"

#include <unistd.h>

namespace placer {
namespace {

// A signal handler can reach nothing but globals.
std::atomic<bool> waits = false, interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free);

std::atomic<pid_t> child_group = 0;  // 0: none
static_assert(std::atomic<pid_t>::is_always_lock_free);

void on_signal(int) {
  if (waits && !interrupted.exchange(true)) return;
  if (child_group > 0) kill(-child_group, SIGKILL);
  _exit(kInterrupted);
}

}  // namespace

Interrupts::Interrupts() {
  waits = interrupted = false;
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

void ends_with_program(pid_t group) { child_group = group; }

const std::atomic<bool>* Interrupts::flag() const { return &interrupted; }

void Interrupts::wait() const { waits = true; }

}  // namespace placer

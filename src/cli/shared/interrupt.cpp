#include "cli/shared/interrupt.hpp"

#include <unistd.h>

namespace placer {
namespace {

std::atomic<bool> interrupted = false;  // a signal handler can reach nothing but a global
static_assert(std::atomic<bool>::is_always_lock_free);

void on_signal(int) {
  if (interrupted.exchange(true)) _exit(kInterrupted);
}

}  // namespace

Interrupts::Interrupts() {
  interrupted = false;
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, &before_int_);
  sigaction(SIGTERM, &action, &before_term_);
}

Interrupts::~Interrupts() {
  sigaction(SIGINT, &before_int_, nullptr);
  sigaction(SIGTERM, &before_term_, nullptr);
}

const std::atomic<bool>* Interrupts::flag() const { return &interrupted; }

}  // namespace placer

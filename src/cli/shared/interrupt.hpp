#pragma once

#include <csignal>

#include "cli/shared/command.hpp"

namespace placer {

/// While it lives, the first Ctrl-C or SIGTERM sets a flag and the second one ends the program.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;
  const std::atomic<bool>* flag() const;

 private:
  struct sigaction before_int_ = {}, before_term_ = {};
};

}  // namespace placer

#pragma once

#include <array>
#include <csignal>

#include "cli/shared/command.hpp"

namespace placer {

/// While it lives, the first Ctrl-C, SIGTERM or SIGHUP sets a flag and the second one ends the
/// program. A SIGHUP that was ignored, as by nohup, still is.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;
  const std::atomic<bool>* flag() const;

 private:
  static constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, kSignals.size()> before_ = {};
};

}  // namespace placer

#pragma once

#include <sys/types.h>

#include <array>
#include <csignal>
#include <string>

#include "cli/shared/command.hpp"

namespace placer {

/// While it lives, an interrupt that ends the program at once ends a group of processes as well;
/// one that comes before the group is known waits for it.
class EndsWithProgram {
 public:
  EndsWithProgram();
  ~EndsWithProgram();
  EndsWithProgram(const EndsWithProgram&) = delete;
  EndsWithProgram& operator=(const EndsWithProgram&) = delete;
  void group(pid_t group);
};

/// While it lives, an interrupt that ends the program at once removes a folder that holds nothing
/// but files, too. There is one at a time.
class FolderEndsWithProgram {
 public:
  explicit FolderEndsWithProgram(const std::string& path);
  ~FolderEndsWithProgram();
  FolderEndsWithProgram(const FolderEndsWithProgram&) = delete;
  FolderEndsWithProgram& operator=(const FolderEndsWithProgram&) = delete;
};

/// While it lives, Ctrl-C, SIGTERM and SIGHUP end the program; once there is something to keep, the
/// first one sets a flag and the second one ends it. A SIGHUP that was ignored, as by nohup, still
/// is.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;
  const std::atomic<bool>* flag() const;
  /// From now on there may be something to keep.
  void wait() const;
  /// To be called once nothing is left to do but to end: from now on they change nothing.
  static void ignore();

 private:
  static constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, kSignals.size()> before_ = {};
};

}  // namespace placer

#pragma once

#include <functional>
#include <string>

namespace placer {

/// How a command ended, and what it printed.
struct ChildEnd {
  enum class How {
    kExit,      // with `code`
    kSignal,    // number `code`
    kTimedOut,  // it was killed after its time
    kStopped    // it was killed when `stop` said so
  } how = How::kExit;
  int code = 0;
  std::string out, err;  // the last 64 KiB of standard output, the last 4 KiB of standard error
};

/// Runs `command` by /bin/sh in a process group of its own, without input, and waits for its end,
/// for at most `seconds`, and until `stop`, which is asked about 50 times a second. Whatever is
/// left of its group is killed in any case. Throws Error where no process can be made.
ChildEnd run_child(const std::string& command, double seconds, const std::function<bool()>& stop);

}  // namespace placer

#pragma once

#include <string>
#include <vector>

namespace placer {

/// How a program ended, and what it printed.
struct ProcessOutput {
  enum class End { kMissing, kFailed, kTimedOut, kDone } end = End::kMissing;
  std::string text;  // of standard output, up to 1 MiB
};

/// Runs `words`, the first of which is found on PATH, without a shell, and waits for at most
/// `seconds`: what still runs then is killed, with its children.
ProcessOutput output_of(const std::vector<std::string>& words, double seconds);

}  // namespace placer

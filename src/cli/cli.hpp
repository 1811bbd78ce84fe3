#pragma once

namespace placer {

/// The whole program: parses, runs the command, prints, and returns the exit code (0 done, 1 bad
/// input or command line, 2 nothing fits, 3 regression or target missed, 4 a fault of ours, 130
/// interrupted).
int run_program(int argc, const char* const* argv);

}  // namespace placer

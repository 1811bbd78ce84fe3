#include <unistd.h>

#include <csignal>
#include <iostream>

#include "cli/cli.hpp"
#include "cli/standard_output.hpp"

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a reader that leaves early is no fault
  std::signal(SIGXFSZ, SIG_IGN);  // the write fails instead
  placer::keep_closed_streams_closed();
  const std::vector<std::string> line(argv + (argc > 0 ? 1 : 0), argv + argc);
  placer::StandardOutput out(STDOUT_FILENO);
  placer::Console console{.out = out,
                          .err = std::cerr,
                          .out_fault = [&] { return out.fault(); },
                          .err_is_terminal = placer::rewrites_lines(STDERR_FILENO),
                          .look = placer::look_of(STDOUT_FILENO),
                          .err_width = [] { return placer::terminal_width(STDERR_FILENO); }};
  return placer::run_program(line, console);
}

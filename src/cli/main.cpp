#include <unistd.h>

#include <csignal>
#include <iostream>

#include "cli/cli.hpp"

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a reader that leaves early is no fault
  const std::vector<std::string> line(argv + (argc > 0 ? 1 : 0), argv + argc);
  placer::Console console{.out = std::cout,
                          .err = std::cerr,
                          .err_is_terminal = placer::rewrites_lines(STDERR_FILENO),
                          .look = placer::look_of(STDOUT_FILENO),
                          .err_width = [] { return placer::terminal_width(STDERR_FILENO); }};
  return placer::run_program(line, console);
}

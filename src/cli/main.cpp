#include <unistd.h>

#include <csignal>
#include <iostream>

#include "cli/cli.hpp"

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a reader that leaves early is no fault
  const std::vector<std::string> line(argv + (argc > 0 ? 1 : 0), argv + argc);
  placer::Console console{.out = std::cout,
                          .err = std::cerr,
                          .out_is_terminal = isatty(STDOUT_FILENO) == 1,
                          .err_is_terminal = isatty(STDERR_FILENO) == 1};
  return placer::run_program(line, console);
}

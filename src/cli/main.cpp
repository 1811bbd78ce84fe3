#include <malloc.h>
#include <unistd.h>

#include <climits>
#include <csignal>
#include <iostream>
#include <memory>

#include "cli/cli.hpp"
#include "cli/ranks/transport.hpp"
#include "cli/shared/interrupt.hpp"
#include "cli/standard_output.hpp"
#include "placer/base/errors.hpp"

namespace {

/// What is freed is soon needed again, and the system hands memory out page by page.
void keep_freed_memory() {
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
  mallopt(M_MMAP_THRESHOLD, INT_MAX);
}

}  // namespace

int main(int argc, char** argv) {
  keep_freed_memory();
  std::signal(SIGPIPE, SIG_IGN);  // a reader that leaves early is no fault
  std::signal(SIGXFSZ, SIG_IGN);  // the write fails instead
  placer::keep_closed_streams_closed();
  const std::vector<std::string> line(argv + (argc > 0 ? 1 : 0), argv + argc);
  placer::StandardOutput out(STDOUT_FILENO);
  // Never freed, nor what a command keeps in it: that would only make the program end later.
  static placer::Console& console =
      *new placer::Console{.out = out,
                           .err = std::cerr,
                           .out_fault = [&] { return out.fault(); },
                           .err_is_terminal = placer::rewrites_lines(STDERR_FILENO),
                           .look = placer::look_of(STDOUT_FILENO),
                           .err_width = [] { return placer::terminal_width(STDERR_FILENO); },
                           .ended = placer::Interrupts::ignore};
  std::unique_ptr<placer::Transport> ranks;
  try {
    ranks = placer::mpi_transport();
  } catch (const placer::Error& error) {
    std::cerr << "placer: " << error.what() << '\n';
    return placer::kBadInput;
  }
  console.ranks = ranks.get();
  if (ranks && ranks->rank() > 0) {  // rank 0 speaks for all
    out.setstate(std::ios::badbit);
    std::cerr.setstate(std::ios::badbit);
  }
  return placer::run_program(line, console);
}

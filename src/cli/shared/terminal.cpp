#include "cli/shared/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace placer {
namespace {

constexpr std::size_t kStandardWidth = 80;

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : value;
}

/// Open MPI gives its ranks a terminal of their own, wherever its output goes.
bool is_terminal(int descriptor) {
  return isatty(descriptor) == 1 && variable("OMPI_COMM_WORLD_SIZE").empty();
}

}  // namespace

std::size_t terminal_width(int descriptor) {
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  const std::string_view columns = variable("COLUMNS");
  std::size_t width = 0;
  std::from_chars(columns.data(), columns.data() + columns.size(), width);
  return width > 0 ? width : kStandardWidth;
}

bool rewrites_lines(int descriptor) {
  return is_terminal(descriptor) && variable("TERM") != "dumb";
}

Look look_of(int descriptor) {
  if (!is_terminal(descriptor)) return {};
  return {terminal_width(descriptor), rewrites_lines(descriptor) && variable("NO_COLOR").empty()};
}

}  // namespace placer

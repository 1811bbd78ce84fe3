#pragma once

#include <cstddef>
#include <limits>

namespace placer {

/// How results may look where they go.
struct Look {
  static constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();
  std::size_t width = kUnlimited;  // in columns; unlimited in files and pipes
  bool color = false;
};

/// The columns of the terminal behind `descriptor`: what it says, else COLUMNS, else 80.
std::size_t terminal_width(int descriptor);

/// True for a terminal whose cursor can go back over a line; TERM=dumb says that it cannot. False
/// under mpirun.
bool rewrites_lines(int descriptor);

/// A terminal's width, and color unless NO_COLOR is set to anything or TERM is "dumb"; elsewhere,
/// and under mpirun, neither. See no-color.org.
Look look_of(int descriptor);

}  // namespace placer

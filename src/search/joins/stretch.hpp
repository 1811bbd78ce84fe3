#pragma once

#include "placer/base/ids.hpp"
#include "placer/base/units.hpp"

namespace placer {

/// Two ops of which the one waits for the other, and how much time passes at least from the end of
/// `first` to the end of `last`, wherever they and the ops between them run.
struct Stretch {
  OpId first, last;
  Picoseconds least_ps = 0;
};

}  // namespace placer

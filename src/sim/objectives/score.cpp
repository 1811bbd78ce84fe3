#include "placer/sim/score.hpp"

#include <limits>

namespace placer {

Score Score::deadlock() {
  return {std::numeric_limits<std::int64_t>::max(), std::numeric_limits<Picoseconds>::max()};
}

Score Score::too_long(Picoseconds step_ps) {
  return {std::numeric_limits<std::int64_t>::max(), step_ps};
}

}  // namespace placer

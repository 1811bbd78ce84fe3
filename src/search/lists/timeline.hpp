#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "placer/base/units.hpp"

namespace placer {

/// The stretches of time in which one slot of a device, or one channel, is busy.
class Timeline {
 public:
  struct Stretch {
    Picoseconds begin_ps, end_ps;
  };
  /// What `occupy` changed.
  struct Change {
    std::size_t at = 0;        // the first stretch that it replaced
    std::size_t replaced = 0;  // how many, 0 to 2, by one
    std::array<Stretch, 2> before{};
  };

  /// The earliest start from `ready_ps` on: in an idle stretch that is long enough or at the end.
  Picoseconds first_fit(Picoseconds ready_ps, Picoseconds duration_ps) const;
  Picoseconds end_ps() const { return busy_.empty() ? 0 : busy_.back().end_ps; }
  /// Makes the stretch busy, which is idle until now. What takes no time still keeps others from
  /// running across its instant.
  Change occupy(Picoseconds start_ps, Picoseconds duration_ps);
  /// Takes back the last `occupy` that has not been taken back.
  void take_back(const Change& change);

 private:
  std::vector<Stretch> busy_;  // in order, never touching
};

}  // namespace placer

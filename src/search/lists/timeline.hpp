#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <vector>

#include "placer/base/units.hpp"

namespace placer {

/// The stretches of time in which one slot of a device, or one channel, is busy.
class Timeline {
 public:
  struct Stretch {
    Picoseconds begin_ps, end_ps;
    friend auto operator<=>(const Stretch&, const Stretch&) = default;
  };
  /// What `occupy` changed.
  struct Change {
    std::size_t at = 0;        // the first stretch that it replaced
    std::size_t replaced = 0;  // how many, 0 to 2, by one
    std::array<Stretch, 2> before{};
  };

  /// The earliest start from `ready_ps` on: in an idle stretch that is long enough or at the end.
  Picoseconds first_fit(Picoseconds ready_ps, Picoseconds duration_ps) const;
  /// The latest end up to `due_ps`, in an idle stretch that is long enough or at the beginning.
  Picoseconds last_fit(Picoseconds due_ps, Picoseconds duration_ps) const;
  Picoseconds end_ps() const { return busy_.empty() ? 0 : busy_.back().end_ps; }
  /// Makes the stretch busy, which is idle until now. What takes no time still keeps others from
  /// running across its instant.
  Change occupy(Picoseconds start_ps, Picoseconds duration_ps);
  /// Takes back the last `occupy` that has not been taken back.
  void take_back(const Change& change);
  /// For timelines that are not occupied otherwise: may overlap what is there, which is not joined,
  /// so that what takes no time fits between two stretches that touch.
  void reserve(const Stretch& stretch);

 private:
  std::vector<Stretch> busy_;  // in order; never touching unless reserved
};

}  // namespace placer
